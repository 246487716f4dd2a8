/* mathml - writes formulas as MathML, in the part of it that SBML level 3 version 1 has: minimum
   and maximum are functions that the document defines, and a number never stands for a condition or
   the other way round. */
#include "base/text.h"
#include "export/export_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_math(struct rd_export *x, FILE *out, rd_formula f, bool is_condition);

/* Writes the digits of a number without its exponent, which a reader would multiply in with a
   rounding error: 1.5e-07 as 0.00000015. */
static void write_digits(FILE *out, const char *text, int exponent)
{
    const char *const digits = text + (*text == '-');
    const size_t whole = strcspn(digits, ".e");
    const size_t tail = digits[whole] == '.' ? strcspn(digits + whole + 1, "e") : 0;
    const int n = (int)(whole + tail), point = (int)whole + exponent;
    fputs(*text == '-' ? "-" : "", out);
    fputs(point <= 0 ? "0." : "", out);
    for (int i = point; i < 0; i++)
        fputc('0', out);
    for (int i = 0; i < n || i < point; i++) {
        const int at = i < (int)whole ? i : i + 1;
        if (i == point && i > 0)
            fputc('.', out);
        fputc(i < n ? digits[at] : '0', out);
    }
}

/* Writes a number so that it reads back to the same bits if its size is 1e-30 to 1e30. */
static void write_mathml_number(FILE *out, double value)
{
    enum { EXPONENT_MOST = 30 };
    char text[RD_NUMBER_BYTES];
    rd_text_number(value, text);
    const char *const e = strchr(text, 'e');
    const int exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;
    if (fabs(value) <= INT32_MAX && value == floor(value))
        fprintf(out, "<cn type=\"integer\">%.0f</cn>", value);
    else if (e && abs(exponent) > EXPONENT_MOST)
        fprintf(out, "<cn type=\"e-notation\">%.*s<sep/>%d</cn>", (int)(e - text), text, exponent);
    else {
        fputs("<cn>", out);
        write_digits(out, text, exponent);
        fputs("</cn>", out);
    }
}

/* Returns the element of an operation, or NULL. */
static const char *element_of(rd_formula f)
{
    static const char *const element[] = {[RD_FORMULA_OR] = "or",
                                          [RD_FORMULA_AND] = "and",
                                          [RD_FORMULA_NOT] = "not",
                                          [RD_FORMULA_SUM] = "plus",
                                          [RD_FORMULA_DIFFERENCE] = "minus",
                                          [RD_FORMULA_PRODUCT] = "times",
                                          [RD_FORMULA_QUOTIENT] = "divide",
                                          [RD_FORMULA_NEGATIVE] = "minus",
                                          [RD_FORMULA_POWER] = "power"};
    static const char *const named[][2] = {{"<", "lt"},      {"<=", "leq"},   {">", "gt"},
                                           {">=", "geq"},    {"==", "eq"},    {"!=", "neq"},
                                           {"sqrt", "root"}, {"log10", "log"}};
    if (f->kind != RD_FORMULA_COMPARISON && f->kind != RD_FORMULA_CALL)
        return element[f->kind];
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(f->name, named[i][0]) == 0)
            return named[i][1];
    return f->name;
}

/* Writes the operands of an operation. Those of a + b + c, which is (a + b) + c, are three: a
   reader adds them in the same order, and long sums are not nested. */
static void write_operands(struct rd_export *x, FILE *out, rd_formula f, bool are_conditions)
{
    const bool is_series = f->kind == RD_FORMULA_SUM || f->kind == RD_FORMULA_PRODUCT ||
                           f->kind == RD_FORMULA_AND || f->kind == RD_FORMULA_OR;
    for (int i = 0; i < f->n; i++)
        if (i == 0 && is_series && f->part[0]->kind == f->kind)
            write_operands(x, out, f->part[0], are_conditions);
        else
            write_math(x, out, f->part[i], are_conditions);
}

static void write_apply(struct rd_export *x, FILE *out, rd_formula f)
{
    const bool is_of_conditions =
        f->kind == RD_FORMULA_OR || f->kind == RD_FORMULA_AND || f->kind == RD_FORMULA_NOT;
    const bool is_least = f->kind == RD_FORMULA_CALL && strcmp(f->name, "min") == 0;
    const bool is_most = f->kind == RD_FORMULA_CALL && strcmp(f->name, "max") == 0;
    if (is_least || is_most)
        fprintf(out, "<apply><ci>%s</ci>", is_least ? x->least : x->most);
    else
        fprintf(out, "<apply><%s/>", element_of(f));
    write_operands(x, out, f, is_of_conditions);
    fputs("</apply>", out);
}

/* Returns whether the formula is a choice between two values. */
static bool is_choice(rd_formula f)
{
    return f->kind == RD_FORMULA_CALL && strcmp(f->name, "if") == 0;
}

/* Writes a choice, and those that follow each other in its other branch, as pieces of one. */
static void write_choice(struct rd_export *x, FILE *out, rd_formula f)
{
    fputs("<piecewise>", out);
    for (; is_choice(f); f = f->part[2]) {
        fputs("<piece>", out);
        write_math(x, out, f->part[1], false);
        write_math(x, out, f->part[0], true);
        fputs("</piece>", out);
    }
    fputs("<otherwise>", out);
    write_math(x, out, f, false);
    fputs("</otherwise></piecewise>", out);
}

/* Writes a formula that is of the kind which is needed. */
static void write_plain(struct rd_export *x, FILE *out, rd_formula f)
{
    if (f->kind == RD_FORMULA_NUMBER)
        write_mathml_number(out, f->number);
    else if (f->kind == RD_FORMULA_NAME)
        fprintf(out, "<ci>%s</ci>", f->name);
    else if (f->kind == RD_FORMULA_CALL && strcmp(f->name, "time") == 0)
        fputs("<csymbol encoding=\"text\" "
              "definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol>",
              out);
    else if (is_choice(f))
        write_choice(x, out, f);
    else
        write_apply(x, out, f);
}

static void write_math(struct rd_export *x, FILE *out, rd_formula f, bool is_condition)
{
    const bool is_boolean = rd_export_is_boolean(f);
    if (is_boolean == is_condition) {
        write_plain(x, out, f);
    } else if (is_condition) {
        fputs("<apply><neq/>", out);
        write_plain(x, out, f);
        fputs("<cn type=\"integer\">0</cn></apply>", out);
    } else {
        fputs("<piecewise><piece><cn type=\"integer\">1</cn>", out);
        write_plain(x, out, f);
        fputs("</piece><otherwise><cn type=\"integer\">0</cn></otherwise></piecewise>", out);
    }
}

static void write_element(struct rd_export *x, FILE *out, rd_formula f, bool is_condition)
{
    fputs("<math xmlns=\"http://www.w3.org/1998/Math/MathML\">", out);
    write_math(x, out, f, is_condition);
    fputs("</math>", out);
}

void rd_mathml_write(struct rd_export *x, FILE *out, rd_formula f)
{
    write_element(x, out, f, false);
}

void rd_mathml_write_condition(struct rd_export *x, FILE *out, rd_formula f)
{
    write_element(x, out, f, true);
}

void rd_mathml_define(FILE *out, const char *id, const char *operator)
{
    fprintf(out,
            "      <functionDefinition id=\"%s\">"
            "<math xmlns=\"http://www.w3.org/1998/Math/MathML\"><lambda>"
            "<bvar><ci>a</ci></bvar><bvar><ci>b</ci></bvar><piecewise><piece><ci>a</ci>"
            "<apply><%s/><ci>a</ci><ci>b</ci></apply></piece>"
            "<otherwise><ci>b</ci></otherwise></piecewise></lambda></math>"
            "</functionDefinition>\n",
            id, operator);
}
