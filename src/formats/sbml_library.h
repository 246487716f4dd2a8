/* sbml_library - the functions of libSBML that are used. The library is loaded when the first SBML
   model is read: it and the libraries that it needs would double the time in which every command
   starts. Only src/formats/sbml_* includes libSBML's headers, by this file. */
#ifndef RD_FORMATS_SBML_LIBRARY_H
#define RD_FORMATS_SBML_LIBRARY_H

#include "base/error.h"

#include <sbml/SBMLTypes.h>
#include <sbml/conversion/ConversionProperties.h>

/* clang-format off */
#define RD_SBML_FUNCTIONS(F) \
    F(ASTNode_getChild) F(ASTNode_getInteger) F(ASTNode_getName) F(ASTNode_getNumChildren) \
    F(ASTNode_getReal) F(ASTNode_getType) F(Compartment_getId) F(Compartment_getSize) \
    F(Compartment_getSpatialDimensionsAsDouble) F(Compartment_getUnits) F(Compartment_isSetSize) \
    F(Compartment_isSetUnits) F(ConversionProperties_addOptionWithKey) \
    F(ConversionProperties_create) F(ConversionProperties_free) \
    F(ConversionProperties_setBoolValue) F(ConversionProperties_setValue) F(Delay_getMath) \
    F(EventAssignment_getMath) F(EventAssignment_getVariable) F(Event_getDelay) \
    F(Event_getEventAssignment) F(Event_getId) F(Event_getNumEventAssignments) \
    F(Event_getPriority) F(Event_getTimeUnits) F(Event_getTrigger) \
    F(Event_getUseValuesFromTriggerTime) F(Event_isSetDelay) F(Event_isSetPriority) \
    F(Event_isSetTimeUnits) F(Event_isSetTrigger) F(FunctionDefinition_getArgument) \
    F(FunctionDefinition_getBody) F(FunctionDefinition_getNumArguments) \
    F(InitialAssignment_getMath) F(InitialAssignment_getSymbol) F(KineticLaw_getLocalParameter) \
    F(KineticLaw_getMath) F(KineticLaw_getNumLocalParameters) F(KineticLaw_getNumParameters) \
    F(KineticLaw_getParameter) F(KineticLaw_getSubstanceUnits) F(KineticLaw_getTimeUnits) \
    F(KineticLaw_isSetMath) F(KineticLaw_isSetSubstanceUnits) F(KineticLaw_isSetTimeUnits) \
    F(Model_getCompartment) F(Model_getConstraint) F(Model_getConversionFactor) \
    F(Model_getEvent) F(Model_getExtentUnits) F(Model_getFunctionDefinitionById) F(Model_getId) \
    F(Model_getInitialAssignment) F(Model_getName) F(Model_getNumCompartments) \
    F(Model_getNumConstraints) F(Model_getNumEvents) F(Model_getNumInitialAssignments) \
    F(Model_getNumParameters) F(Model_getNumReactions) F(Model_getNumRules) \
    F(Model_getNumSpecies) F(Model_getParameter) F(Model_getReaction) F(Model_getRule) \
    F(Model_getSpecies) F(Model_getSubstanceUnits) F(Model_getUnitDefinitionById) \
    F(Model_isSetConversionFactor) F(Model_isSetExtentUnits) F(Model_isSetName) \
    F(Parameter_getId) F(Parameter_getValue) F(Parameter_isSetValue) F(Priority_getMath) \
    F(Reaction_getFast) F(Reaction_getId) F(Reaction_getKineticLaw) F(Reaction_getNumProducts) \
    F(Reaction_getNumReactants) F(Reaction_getProduct) F(Reaction_getReactant) \
    F(Reaction_getReversible) F(Rule_getMath) F(Rule_getVariable) F(Rule_isAlgebraic) \
    F(Rule_isAssignment) F(Rule_isRate) F(SBMLDocument_checkConsistency) F(SBMLDocument_clone) \
    F(SBMLDocument_convert)     F(SBMLDocument_free) F(SBMLDocument_getError) F(SBMLDocument_getLevel) \
    F(SBMLDocument_getModel) F(SBMLDocument_getNamespaces) F(SBMLDocument_getNumErrors) \
    F(SBMLDocument_getVersion) F(SBMLDocument_setConsistencyChecks) \
    F(SBMLDocument_setLevelAndVersion) F(SBase_getLevel) F(SBase_getLine) F(SBase_getUserData) \
    F(SBase_setUserData) F(SpeciesReference_getDenominator) F(SpeciesReference_getId) \
    F(SpeciesReference_getSpecies) F(SpeciesReference_getStoichiometry) \
    F(SpeciesReference_getStoichiometryMath) F(SpeciesReference_isSetStoichiometry) \
    F(SpeciesReference_isSetStoichiometryMath) F(Species_getBoundaryCondition) \
    F(Species_getCompartment) F(Species_getConstant) F(Species_getConversionFactor) \
    F(Species_getHasOnlySubstanceUnits) F(Species_getId) F(Species_getInitialAmount) \
    F(Species_getInitialConcentration) F(Species_getName) F(Species_getSpatialSizeUnits) \
    F(Species_getSubstanceUnits) F(Species_isSetConversionFactor) F(Species_isSetInitialAmount) \
    F(Species_isSetInitialConcentration) F(Species_isSetSpatialSizeUnits) \
    F(Species_isSetSubstanceUnits) F(StoichiometryMath_getMath) F(Trigger_getInitialValue) \
    F(Trigger_getMath) F(Trigger_getPersistent) F(UnitDefinition_getNumUnits) \
    F(UnitDefinition_getUnit) F(Unit_getExponentAsDouble) F(Unit_getMultiplier) F(Unit_getScale) \
    F(Unit_isDimensionless) F(Unit_isItem) F(Unit_isMole) F(XMLError_getErrorId) \
    F(XMLError_getLine) F(XMLError_getMessage) F(XMLError_isError) F(XMLError_isFatal) \
    F(XMLNamespaces_getLength) F(XMLNamespaces_getPrefix) F(XMLNamespaces_getURI) \
    F(readSBMLFromString)
/* clang-format on */

/* Holds the address of each function. */
struct rd_sbml_library {
#define RD_SBML_ADDRESS(name) __typeof__(name) *name;
    RD_SBML_FUNCTIONS(RD_SBML_ADDRESS)
#undef RD_SBML_ADDRESS
};

/* Loads the library, unless it is loaded; false with a message that names the package. */
bool rd_sbml_library_load(const char *path, struct rd_error *e);
/* Returns the functions of the loaded library. */
const struct rd_sbml_library *rd_sbml_library(void);

#ifndef RD_SBML_LIBRARY_C /* from here on a call of a function is a call by its address */
#define ASTNode_getChild       (rd_sbml_library()->ASTNode_getChild)
#define ASTNode_getInteger     (rd_sbml_library()->ASTNode_getInteger)
#define ASTNode_getName        (rd_sbml_library()->ASTNode_getName)
#define ASTNode_getNumChildren (rd_sbml_library()->ASTNode_getNumChildren)
#define ASTNode_getReal        (rd_sbml_library()->ASTNode_getReal)
#define ASTNode_getType        (rd_sbml_library()->ASTNode_getType)
#define Compartment_getId      (rd_sbml_library()->Compartment_getId)
#define Compartment_getSize    (rd_sbml_library()->Compartment_getSize)
#define Compartment_getSpatialDimensionsAsDouble                                                   \
    (rd_sbml_library()->Compartment_getSpatialDimensionsAsDouble)
#define Compartment_getUnits   (rd_sbml_library()->Compartment_getUnits)
#define Compartment_isSetSize  (rd_sbml_library()->Compartment_isSetSize)
#define Compartment_isSetUnits (rd_sbml_library()->Compartment_isSetUnits)
#define ConversionProperties_addOptionWithKey                                                      \
    (rd_sbml_library()->ConversionProperties_addOptionWithKey)
#define ConversionProperties_create        (rd_sbml_library()->ConversionProperties_create)
#define ConversionProperties_free          (rd_sbml_library()->ConversionProperties_free)
#define ConversionProperties_setBoolValue  (rd_sbml_library()->ConversionProperties_setBoolValue)
#define ConversionProperties_setValue      (rd_sbml_library()->ConversionProperties_setValue)
#define Delay_getMath                      (rd_sbml_library()->Delay_getMath)
#define EventAssignment_getMath            (rd_sbml_library()->EventAssignment_getMath)
#define EventAssignment_getVariable        (rd_sbml_library()->EventAssignment_getVariable)
#define Event_getDelay                     (rd_sbml_library()->Event_getDelay)
#define Event_getEventAssignment           (rd_sbml_library()->Event_getEventAssignment)
#define Event_getId                        (rd_sbml_library()->Event_getId)
#define Event_getNumEventAssignments       (rd_sbml_library()->Event_getNumEventAssignments)
#define Event_getPriority                  (rd_sbml_library()->Event_getPriority)
#define Event_getTimeUnits                 (rd_sbml_library()->Event_getTimeUnits)
#define Event_getTrigger                   (rd_sbml_library()->Event_getTrigger)
#define Event_getUseValuesFromTriggerTime  (rd_sbml_library()->Event_getUseValuesFromTriggerTime)
#define Event_isSetDelay                   (rd_sbml_library()->Event_isSetDelay)
#define Event_isSetPriority                (rd_sbml_library()->Event_isSetPriority)
#define Event_isSetTimeUnits               (rd_sbml_library()->Event_isSetTimeUnits)
#define Event_isSetTrigger                 (rd_sbml_library()->Event_isSetTrigger)
#define FunctionDefinition_getArgument     (rd_sbml_library()->FunctionDefinition_getArgument)
#define FunctionDefinition_getBody         (rd_sbml_library()->FunctionDefinition_getBody)
#define FunctionDefinition_getNumArguments (rd_sbml_library()->FunctionDefinition_getNumArguments)
#define InitialAssignment_getMath          (rd_sbml_library()->InitialAssignment_getMath)
#define InitialAssignment_getSymbol        (rd_sbml_library()->InitialAssignment_getSymbol)
#define KineticLaw_getLocalParameter       (rd_sbml_library()->KineticLaw_getLocalParameter)
#define KineticLaw_getMath                 (rd_sbml_library()->KineticLaw_getMath)
#define KineticLaw_getNumLocalParameters   (rd_sbml_library()->KineticLaw_getNumLocalParameters)
#define KineticLaw_getNumParameters        (rd_sbml_library()->KineticLaw_getNumParameters)
#define KineticLaw_getParameter            (rd_sbml_library()->KineticLaw_getParameter)
#define KineticLaw_getSubstanceUnits       (rd_sbml_library()->KineticLaw_getSubstanceUnits)
#define KineticLaw_getTimeUnits            (rd_sbml_library()->KineticLaw_getTimeUnits)
#define KineticLaw_isSetMath               (rd_sbml_library()->KineticLaw_isSetMath)
#define KineticLaw_isSetSubstanceUnits     (rd_sbml_library()->KineticLaw_isSetSubstanceUnits)
#define KineticLaw_isSetTimeUnits          (rd_sbml_library()->KineticLaw_isSetTimeUnits)
#define Model_getCompartment               (rd_sbml_library()->Model_getCompartment)
#define Model_getConstraint                (rd_sbml_library()->Model_getConstraint)
#define Model_getConversionFactor          (rd_sbml_library()->Model_getConversionFactor)
#define Model_getEvent                     (rd_sbml_library()->Model_getEvent)
#define Model_getExtentUnits               (rd_sbml_library()->Model_getExtentUnits)
#define Model_getFunctionDefinitionById    (rd_sbml_library()->Model_getFunctionDefinitionById)
#define Model_getId                        (rd_sbml_library()->Model_getId)
#define Model_getInitialAssignment         (rd_sbml_library()->Model_getInitialAssignment)
#define Model_getName                      (rd_sbml_library()->Model_getName)
#define Model_getNumCompartments           (rd_sbml_library()->Model_getNumCompartments)
#define Model_getNumConstraints            (rd_sbml_library()->Model_getNumConstraints)
#define Model_getNumEvents                 (rd_sbml_library()->Model_getNumEvents)
#define Model_getNumInitialAssignments     (rd_sbml_library()->Model_getNumInitialAssignments)
#define Model_getNumParameters             (rd_sbml_library()->Model_getNumParameters)
#define Model_getNumReactions              (rd_sbml_library()->Model_getNumReactions)
#define Model_getNumRules                  (rd_sbml_library()->Model_getNumRules)
#define Model_getNumSpecies                (rd_sbml_library()->Model_getNumSpecies)
#define Model_getParameter                 (rd_sbml_library()->Model_getParameter)
#define Model_getReaction                  (rd_sbml_library()->Model_getReaction)
#define Model_getRule                      (rd_sbml_library()->Model_getRule)
#define Model_getSpecies                   (rd_sbml_library()->Model_getSpecies)
#define Model_getSubstanceUnits            (rd_sbml_library()->Model_getSubstanceUnits)
#define Model_getUnitDefinitionById        (rd_sbml_library()->Model_getUnitDefinitionById)
#define Model_isSetConversionFactor        (rd_sbml_library()->Model_isSetConversionFactor)
#define Model_isSetExtentUnits             (rd_sbml_library()->Model_isSetExtentUnits)
#define Model_isSetName                    (rd_sbml_library()->Model_isSetName)
#define Parameter_getId                    (rd_sbml_library()->Parameter_getId)
#define Parameter_getValue                 (rd_sbml_library()->Parameter_getValue)
#define Parameter_isSetValue               (rd_sbml_library()->Parameter_isSetValue)
#define Priority_getMath                   (rd_sbml_library()->Priority_getMath)
#define Reaction_getFast                   (rd_sbml_library()->Reaction_getFast)
#define Reaction_getId                     (rd_sbml_library()->Reaction_getId)
#define Reaction_getKineticLaw             (rd_sbml_library()->Reaction_getKineticLaw)
#define Reaction_getNumProducts            (rd_sbml_library()->Reaction_getNumProducts)
#define Reaction_getNumReactants           (rd_sbml_library()->Reaction_getNumReactants)
#define Reaction_getProduct                (rd_sbml_library()->Reaction_getProduct)
#define Reaction_getReactant               (rd_sbml_library()->Reaction_getReactant)
#define Reaction_getReversible             (rd_sbml_library()->Reaction_getReversible)
#define Rule_getMath                       (rd_sbml_library()->Rule_getMath)
#define Rule_getVariable                   (rd_sbml_library()->Rule_getVariable)
#define Rule_isAlgebraic                   (rd_sbml_library()->Rule_isAlgebraic)
#define Rule_isAssignment                  (rd_sbml_library()->Rule_isAssignment)
#define Rule_isRate                        (rd_sbml_library()->Rule_isRate)
#define SBMLDocument_checkConsistency      (rd_sbml_library()->SBMLDocument_checkConsistency)
#define SBMLDocument_clone                 (rd_sbml_library()->SBMLDocument_clone)
#define SBMLDocument_convert               (rd_sbml_library()->SBMLDocument_convert)
#define SBMLDocument_free                  (rd_sbml_library()->SBMLDocument_free)
#define SBMLDocument_getError              (rd_sbml_library()->SBMLDocument_getError)
#define SBMLDocument_getLevel              (rd_sbml_library()->SBMLDocument_getLevel)
#define SBMLDocument_getModel              (rd_sbml_library()->SBMLDocument_getModel)
#define SBMLDocument_getNamespaces         (rd_sbml_library()->SBMLDocument_getNamespaces)
#define SBMLDocument_getNumErrors          (rd_sbml_library()->SBMLDocument_getNumErrors)
#define SBMLDocument_getVersion            (rd_sbml_library()->SBMLDocument_getVersion)
#define SBMLDocument_setConsistencyChecks  (rd_sbml_library()->SBMLDocument_setConsistencyChecks)
#define SBMLDocument_setLevelAndVersion    (rd_sbml_library()->SBMLDocument_setLevelAndVersion)
#define SBase_getLevel                     (rd_sbml_library()->SBase_getLevel)
#define SBase_getLine                      (rd_sbml_library()->SBase_getLine)
#define SBase_getUserData                  (rd_sbml_library()->SBase_getUserData)
#define SBase_setUserData                  (rd_sbml_library()->SBase_setUserData)
#define SpeciesReference_getDenominator    (rd_sbml_library()->SpeciesReference_getDenominator)
#define SpeciesReference_getId             (rd_sbml_library()->SpeciesReference_getId)
#define SpeciesReference_getSpecies        (rd_sbml_library()->SpeciesReference_getSpecies)
#define SpeciesReference_getStoichiometry  (rd_sbml_library()->SpeciesReference_getStoichiometry)
#define SpeciesReference_getStoichiometryMath                                                      \
    (rd_sbml_library()->SpeciesReference_getStoichiometryMath)
#define SpeciesReference_isSetStoichiometry (rd_sbml_library()->SpeciesReference_isSetStoichiometry)
#define SpeciesReference_isSetStoichiometryMath                                                    \
    (rd_sbml_library()->SpeciesReference_isSetStoichiometryMath)
#define Species_getBoundaryCondition      (rd_sbml_library()->Species_getBoundaryCondition)
#define Species_getCompartment            (rd_sbml_library()->Species_getCompartment)
#define Species_getConstant               (rd_sbml_library()->Species_getConstant)
#define Species_getConversionFactor       (rd_sbml_library()->Species_getConversionFactor)
#define Species_getHasOnlySubstanceUnits  (rd_sbml_library()->Species_getHasOnlySubstanceUnits)
#define Species_getId                     (rd_sbml_library()->Species_getId)
#define Species_getName                   (rd_sbml_library()->Species_getName)
#define Species_getInitialAmount          (rd_sbml_library()->Species_getInitialAmount)
#define Species_getInitialConcentration   (rd_sbml_library()->Species_getInitialConcentration)
#define Species_getSpatialSizeUnits       (rd_sbml_library()->Species_getSpatialSizeUnits)
#define Species_getSubstanceUnits         (rd_sbml_library()->Species_getSubstanceUnits)
#define Species_isSetConversionFactor     (rd_sbml_library()->Species_isSetConversionFactor)
#define Species_isSetInitialAmount        (rd_sbml_library()->Species_isSetInitialAmount)
#define Species_isSetInitialConcentration (rd_sbml_library()->Species_isSetInitialConcentration)
#define Species_isSetSpatialSizeUnits     (rd_sbml_library()->Species_isSetSpatialSizeUnits)
#define Species_isSetSubstanceUnits       (rd_sbml_library()->Species_isSetSubstanceUnits)
#define StoichiometryMath_getMath         (rd_sbml_library()->StoichiometryMath_getMath)
#define Trigger_getInitialValue           (rd_sbml_library()->Trigger_getInitialValue)
#define Trigger_getMath                   (rd_sbml_library()->Trigger_getMath)
#define Trigger_getPersistent             (rd_sbml_library()->Trigger_getPersistent)
#define UnitDefinition_getNumUnits        (rd_sbml_library()->UnitDefinition_getNumUnits)
#define UnitDefinition_getUnit            (rd_sbml_library()->UnitDefinition_getUnit)
#define Unit_getExponentAsDouble          (rd_sbml_library()->Unit_getExponentAsDouble)
#define Unit_getMultiplier                (rd_sbml_library()->Unit_getMultiplier)
#define Unit_getScale                     (rd_sbml_library()->Unit_getScale)
#define Unit_isDimensionless              (rd_sbml_library()->Unit_isDimensionless)
#define Unit_isItem                       (rd_sbml_library()->Unit_isItem)
#define Unit_isMole                       (rd_sbml_library()->Unit_isMole)
#define XMLError_getErrorId               (rd_sbml_library()->XMLError_getErrorId)
#define XMLError_getLine                  (rd_sbml_library()->XMLError_getLine)
#define XMLError_getMessage               (rd_sbml_library()->XMLError_getMessage)
#define XMLError_isError                  (rd_sbml_library()->XMLError_isError)
#define XMLError_isFatal                  (rd_sbml_library()->XMLError_isFatal)
#define XMLNamespaces_getLength           (rd_sbml_library()->XMLNamespaces_getLength)
#define XMLNamespaces_getPrefix           (rd_sbml_library()->XMLNamespaces_getPrefix)
#define XMLNamespaces_getURI              (rd_sbml_library()->XMLNamespaces_getURI)
#define readSBMLFromString                (rd_sbml_library()->readSBMLFromString)
#endif

#endif
