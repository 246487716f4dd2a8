/* sbml_document - reads an SBML document and checks it as a whole: its level, its packages, and
   libSBML's errors.
 */
#include "formats/sbml_document.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Copies a message of libSBML without its line breaks. The part after "Reference: ..." names what
   is wrong here; the part before it is the rule. */
static void flatten(char *to, size_t bytes, const char *from)
{
    const char *const reference = strstr(from, "Reference:");
    const char *const end = reference ? strchr(reference, '\n') : NULL;
    size_t n = 0;
    bool is_blank = true;
    if (end && end[strspn(end, " \t\r\n")])
        from = end;
    for (; *from && n + 1 < bytes; from++) {
        const bool is = *from == ' ' || *from == '\n' || *from == '\t' || *from == '\r';
        if (!is || !is_blank)
            to[n++] = is ? ' ' : *from;
        is_blank = is;
    }
    while (n > 0 && to[n - 1] == ' ')
        n--;
    to[n] = 0;
}

/* Lists rules that are about form alone, and what breaks them. Other programs write such models. */
static const struct {
    unsigned rule;
    const char *what;
    unsigned line; /* 0: that of libSBML, which is the last one for rules of the declaration */
} formal[] = {
    {MissingXMLEncoding, "has no encoding in its XML declaration", 1},
    {NotUTF8, "has another encoding than UTF-8", 1},
    {EmptyListElement, "has an empty list", 0},
    {EmptyListInReaction, "has a reaction with an empty list", 0},
    {EmptyListInKineticLaw, "has a kinetic law with an empty list", 0},
    {UndeclaredSpeciesRef, "has a law of a species that is not listed as its modifier", 0},
};
enum { N_FORMAL = sizeof formal / sizeof *formal };

/* The rules of packages have numbers from here on. A model that needs a package has been refused,
   and the data of other packages are not used. */
enum { FIRST_RULE_OF_PACKAGES = 1000000 };

/* Returns the index of a rule that is about form alone, or -1. */
static int find_formal_rule(unsigned rule)
{
    for (int i = 0; i < N_FORMAL; i++)
        if (formal[i].rule == rule)
            return i;
    return -1;
}

/* Reports the errors that libSBML has found, or notes them once for a rule that is about form;
   returns whether there are none of the others. */
static bool check_errors(const char *path, SBMLDocument_t *d, struct rd_error *notes,
                         struct rd_error *e)
{
    const int before = e->n;
    bool is_noted[N_FORMAL] = {false};
    for (unsigned i = 0; i < SBMLDocument_getNumErrors(d) && e->n < before + 20; i++) {
        const XMLError_t *const error = (const XMLError_t *)SBMLDocument_getError(d, i);
        const unsigned rule = XMLError_getErrorId(error), line = XMLError_getLine(error);
        const int form = find_formal_rule(rule);
        char message[400];
        if ((!XMLError_isError(error) && !XMLError_isFatal(error)) ||
            rule >= FIRST_RULE_OF_PACKAGES || (form >= 0 && is_noted[form]))
            continue;
        if (form >= 0) {
            rd_fail(notes, "%s:%u: %s (rule %u of SBML); it is read all the same", path,
                    formal[form].line > 0 ? formal[form].line : line, formal[form].what, rule);
            is_noted[form] = true;
            continue;
        }
        flatten(message, sizeof message, XMLError_getMessage(error));
        rd_fail(e, "%s:%u: is not valid SBML (rule %u): %s", path, line, rule, message);
    }
    return e->n == before;
}

/* Checks the document's rules, except those about units and style. Some general ones take time in
   proportion to the square of the model; of large models the conversion alone checks what it
   uses. */
static bool check_consistency(const char *path, const char *text, SBMLDocument_t *d,
                              struct rd_error *notes, struct rd_error *e)
{
    if (rd_sbml_is_large(text, SBMLDocument_getModel(d)))
        SBMLDocument_setConsistencyChecks(d, LIBSBML_CAT_GENERAL_CONSISTENCY, 0);
    SBMLDocument_setConsistencyChecks(d, LIBSBML_CAT_UNITS_CONSISTENCY, 0);
    SBMLDocument_setConsistencyChecks(d, LIBSBML_CAT_MODELING_PRACTICE, 0);
    SBMLDocument_setConsistencyChecks(d, LIBSBML_CAT_SBO_CONSISTENCY, 0);
    SBMLDocument_setConsistencyChecks(d, LIBSBML_CAT_OVERDETERMINED_MODEL, 0);
    SBMLDocument_checkConsistency(d);
    return check_errors(path, d, notes, e);
}

/* Returns whether the text says that the package with this prefix is required. libSBML reports that
   only of packages that it was built with. */
static bool is_required(const char *text, const char *prefix)
{
    static const char *const value[] = {"\"true\"", "'true'", "\"1\"", "'1'"};
    char *const attribute = rd_text_format("%s:required", prefix);
    bool is = false;
    for (const char *at = text; attribute && !is && (at = strstr(at, attribute));) {
        at += strlen(attribute);
        const char *given = at + strspn(at, " \t\r\n");
        given += *given == '=';
        given += strspn(given, " \t\r\n");
        for (size_t i = 0; i < sizeof value / sizeof *value && !is; i++)
            is = strncmp(given, value[i], strlen(value[i])) == 0;
    }
    free(attribute);
    return is;
}

/* Reads the name of a package from the URI of its namespace; returns whether it is one of SBML. */
static bool read_package(const char *uri, char name[40])
{
    static const char level[] = "http://www.sbml.org/sbml/level3/version";
    return strncmp(uri, level, strlen(level)) == 0 &&
           sscanf(uri + strlen(level), "%*d/%39[a-z0-9]/", name) == 1 && strcmp(name, "core") != 0;
}

/* Refuses packages that a model needs, also those of other namespaces; notes those of SBML that it
   has besides. */
static bool check_packages(const char *path, const char *text, SBMLDocument_t *d,
                           struct rd_error *notes, struct rd_error *e)
{
    const XMLNamespaces_t *const all = SBMLDocument_getNamespaces(d);
    bool ok = true;
    for (int i = 0; i < XMLNamespaces_getLength(all); i++) {
        char *const uri = XMLNamespaces_getURI(all, i), name[40];
        char *const prefix = XMLNamespaces_getPrefix(all, i);
        const bool is = uri && read_package(uri, name);
        if (prefix && *prefix && is_required(text, prefix))
            ok = rd_fail(e,
                         "%s:1: needs the package '%.40s' of SBML, which is not supported; write "
                         "the model without it",
                         path, is ? name : prefix);
        else if (is)
            rd_fail(notes, "%s:1: has data of the package '%s', which are not used", path, name);
        free(uri);
        free(prefix);
    }
    return ok;
}

/* Removes the data of a package. Returns whether libSBML could. */
static bool strip_package(SBMLDocument_t *d, const char *prefix)
{
    ConversionProperties_t *const wanted = ConversionProperties_create();
    if (!wanted)
        return false;
    ConversionProperties_addOptionWithKey(wanted, "stripPackage");
    ConversionProperties_setBoolValue(wanted, "stripPackage", 1);
    ConversionProperties_addOptionWithKey(wanted, "package");
    ConversionProperties_setValue(wanted, "package", prefix);
    const bool ok = SBMLDocument_convert(d, wanted) == LIBSBML_OPERATION_SUCCESS;
    ConversionProperties_free(wanted);
    return ok;
}

/* Removes the data of all packages. libSBML would check them, too, which takes most of the time of
   all checks of a genome-scale model. */
static bool strip_packages(const char *path, SBMLDocument_t *d, struct rd_error *e)
{
    const XMLNamespaces_t *const all = SBMLDocument_getNamespaces(d);
    bool ok = true;
    for (int i = XMLNamespaces_getLength(all) - 1; ok && i >= 0; i--) {
        char *const uri = XMLNamespaces_getURI(all, i), name[40];
        char *const prefix = XMLNamespaces_getPrefix(all, i);
        if (uri && prefix && read_package(uri, name) && !strip_package(d, prefix))
            ok = rd_fail(e,
                         "%s:1: libSBML cannot remove the data of the package '%s'; write the "
                         "model without it",
                         path, name);
        free(uri);
        free(prefix);
    }
    return ok;
}

/* Converts a document of level 1, whose meaning level 2 has, too. */
static bool convert_level(const char *path, SBMLDocument_t *d, struct rd_error *notes,
                          struct rd_error *e)
{
    const unsigned level = SBMLDocument_getLevel(d);
    if (level >= 2)
        return true;
    if (!SBMLDocument_setLevelAndVersion(d, 2, 4))
        return check_errors(path, d, notes, e) &&
               rd_fail(e,
                       "%s:1: is SBML level %u, and libSBML cannot convert it to level 2; "
                       "convert it to level 3",
                       path, level);
    return rd_fail(notes, "%s:1: is SBML level %u; converted to level 2 version 4", path, level) ||
           true;
}

/* Checks a document that was read without errors, and prepares it for its conversion. */
static bool check_document(const char *path, const char *text, SBMLDocument_t *d,
                           struct rd_error *notes, struct rd_error *e)
{
    if (!strip_packages(path, d, e) || !convert_level(path, d, notes, e))
        return false;
    Model_t *const m = SBMLDocument_getModel(d);
    if (!m)
        return rd_fail(e, "%s:1: has no model; write one", path);
    if (Model_getNumSpecies(m) == 0)
        return rd_fail(e, "%s:1: has no species; a simulation needs one", path);
    return check_consistency(path, text, d, notes, e);
}

SBMLDocument_t *rd_sbml_read(const char *path, const char *text, struct rd_error *notes,
                             struct rd_error *e)
{
    SBMLDocument_t *const first = readSBMLFromString(text);
    const bool is_read =
        first && check_packages(path, text, first, notes, e) && check_errors(path, first, notes, e);
    /* libSBML checks no document that has errors, also if they are about form alone or in a package
       that is not used. A copy has none. */
    SBMLDocument_t *const d = is_read ? SBMLDocument_clone(first) : NULL;
    if (!first || (is_read && !d))
        rd_fail(e, "%s: out of memory for the model", path);
    if (first)
        SBMLDocument_free(first);
    if (d && check_document(path, text, d, notes, e))
        return d;
    if (d)
        SBMLDocument_free(d);
    return NULL;
}
