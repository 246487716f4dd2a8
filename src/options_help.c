/* options_help - what --help prints, by the tables. */
#include "options_table.h"

static void print_row(FILE *out, const char *name, const char *argument, const char *meaning)
{
    const int width = fprintf(out, "  %s%s%s", name, argument ? " " : "", argument ? argument : "");
    fprintf(out, "%*s%s\n", width < 24 ? 24 - width : 1, "", meaning);
}

static void print_options(FILE *out, unsigned bits)
{
    fputs("\nOptions:\n", out);
    for (const struct rd_option_row *k = rd_options_table; k->name; k++)
        if (k->commands & bits)
            print_row(out, k->name, k->argument, k->meaning);
}

static void print_program(FILE *out)
{
    fputs("rdsim simulates molecules that move on a lattice and react where they meet.\n\n"
          "  rdsim CONFIG [options]\n",
          out);
    for (const struct rd_command_row *k = rd_commands; k->name; k++) {
        char name[32];
        snprintf(name, sizeof name, "rdsim %s", k->name);
        print_row(out, name, k->argument, k->meaning);
    }
    fputs("\nrdsim COMMAND --help lists the options of one command.\n", out);
    print_options(out, ~0u);
    fputs("\nExit status: 0 done, 1 the run failed, 2 the command or configuration is wrong,\n"
          "75 stopped by a signal (go on with --resume).\n",
          out);
}

void rd_options_help(FILE *out, enum rd_command about)
{
    for (const struct rd_command_row *k = rd_commands; k->name; k++) {
        if (k->command != about)
            continue;
        fprintf(out, "rdsim %s%s%s [options]: %s\n", k->name, k->argument ? " " : "",
                k->argument ? k->argument : "", k->meaning);
        print_options(out, 1u << about);
        return;
    }
    print_program(out);
}
