/* syntax - checks a configuration's text before libconfig reads it, so that libconfig receives only
   what all its versions read alike. */
#ifndef RD_CONFIG_SYNTAX_H
#define RD_CONFIG_SYNTAX_H

#include "config/lexeme.h"

/* Reports the errors in the text of the file called name. With lines false (an option's value) the
   messages have no line numbers. Replaces square brackets by round ones in the text, so that [0,
   0.5] is read like (0, 0.5): libconfig's own arrays cannot mix integers and floats. */
enum rd_syntax rd_syntax_check(char *text, const char *name, bool lines, struct rd_error *e);

/* Returns whether all bytes of an option's value are UTF-8 text; reports the first that is not. */
bool rd_syntax_is_text(const char *value, const char *name, struct rd_error *e);

#endif
