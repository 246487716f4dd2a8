/* options_help - prints --help from the tables. */
#include "command_line/options_table.h"

#include <string.h>

enum { WIDTH = 96, MEANINGS = 24 };

static void print_option_row(FILE *out, const char *name, const char *argument, const char *meaning)
{
    const int width = fprintf(out, "  %s%s%s", name, argument ? " " : "", argument ? argument : "");
    fprintf(out, "%*s%s\n", width < MEANINGS ? MEANINGS - width : 1, "", meaning);
}

/* Prints an option with its letters: "-o, --output FILE". */
static void print_option(FILE *out, const struct rd_option_row *k)
{
    char name[64] = "";
    for (const char *at = k->letters; at && *at; at++)
        snprintf(name + strlen(name), sizeof name - strlen(name), "-%c, ", *at);
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s", k->name);
    print_option_row(out, name, k->argument, k->meaning);
}

static unsigned all_commands(void)
{
    unsigned bits = 0;
    for (const struct rd_command_row *k = rd_commands; k->name; k++)
        bits |= 1u << k->command;
    return bits;
}

static void print_title(FILE *out, const struct rd_command_row *k)
{
    fprintf(out, "rdsim %s%s%s", k->name, k->argument ? " " : "", k->argument ? k->argument : "");
}

/* Prints the names of a command's options that were printed with a command before it. */
static void print_shared(FILE *out, unsigned bit, unsigned before)
{
    int column = 0;
    for (const struct rd_option_row *k = rd_options_table; k->name; k++) {
        if (!(k->commands & bit) || !(k->commands & before) || k->commands == all_commands())
            continue;
        const int length = (int)strlen(k->name) + 1;
        if (column == 0)
            column = fprintf(out, "  as above:");
        else if (column + length > WIDTH)
            column = fprintf(out, "\n           ") - 1;
        column += fprintf(out, " %s", k->name);
    }
    if (column > 0)
        fputc('\n', out);
}

/* Prints the options of each command; a shared option is explained with the first of its
   commands. */
static void print_groups(FILE *out)
{
    unsigned before = 0;
    for (const struct rd_command_row *c = rd_commands; c->name; c++) {
        const unsigned bit = 1u << c->command;
        bool is_titled = false;
        for (const struct rd_option_row *k = rd_options_table; k->name; k++) {
            if (!(k->commands & bit) || k->commands == all_commands() || c->n_least == RD_FOREIGN)
                continue;
            if (!is_titled) {
                fputs("\nOptions of ", out);
                print_title(out, c);
                fputs(":\n", out);
                is_titled = true;
            }
            if (!(k->commands & before))
                print_option(out, k);
        }
        print_shared(out, bit, before);
        before |= bit;
    }
    fputs("\nOptions of every command:\n", out);
    for (const struct rd_option_row *k = rd_options_table; k->name; k++)
        if (k->commands == all_commands())
            print_option(out, k);
}

static void print_commands(FILE *out)
{
    fputs("rdsim simulates molecules that move on a lattice and react where they meet.\n\n"
          "  rdsim CONFIG [options]\n",
          out);
    for (const struct rd_command_row *k = rd_commands; k->name; k++) {
        char name[32];
        snprintf(name, sizeof name, "rdsim %s", k->name);
        print_option_row(out, name, k->argument, k->meaning);
    }
}

void rd_options_usage(FILE *out)
{
    print_commands(out);
    fputs("\nrdsim --help lists all options, rdsim COMMAND --help those of one command.\n", out);
}

static void print_program(FILE *out)
{
    print_commands(out);
    fputs("\nrdsim COMMAND --help lists the options of one command. CONFIG - is standard "
          "input.\nLetters may be joined (-qo FILE); no argument after -- is an option.\n",
          out);
    print_groups(out);
    fputs("\nExit status: 0 done, 1 the run failed, 2 the command or configuration is wrong,\n3 "
          "the modes are not complete (--mem), 75 stopped by a signal (continue with --resume).\n",
          out);
}

void rd_options_help(FILE *out, enum rd_command about)
{
    for (const struct rd_command_row *c = rd_commands; c->name && about != RD_COMMAND_HELP; c++) {
        if (c->command != about)
            continue;
        print_title(out, c);
        fprintf(out, " [options]: %s\n\n", c->meaning);
        if (c->n_least == RD_FOREIGN) {
            fprintf(out, "rdsim %s --help lists the options.\n", c->name);
            return;
        }
        fputs("Options:\n", out);
        for (const struct rd_option_row *k = rd_options_table; k->name; k++)
            if (k->commands & 1u << about)
                print_option(out, k);
        return;
    }
    print_program(out);
}
