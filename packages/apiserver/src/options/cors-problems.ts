import { GoRegexp } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

const help =
  'List of allowed origins for CORS, comma separated. An allowed origin can be a regular expression to support subdomain matching. ' +
  'If this list is empty CORS will not be enabled. Please ensure each expression matches the entire hostname by anchoring ' +
  "to the start with '^' or including the '//' prefix, and by anchoring to the end with '$' or including the ':' port separator " +
  "suffix. Examples of valid expressions are '//example\\.com(:|$)' and '^https://example\\.com(:|$)'";

/** Returns upstream's error messages for `--cors-allowed-origins`. */
export const corsProblems = (origins: readonly string[]): string[] =>
  origins.flatMap((origin) => {
    if (origin === '') return `empty value in --cors-allowed-origins, help: ${help}`;
    const problem = problemOf(origin);
    return problem ? `--cors-allowed-origins has an invalid regular expression: ${problem}, help: ${help}` : [];
  });

/** An expression that matches only a part of a host would allow foreign hosts. */
function problemOf(origin: string): string | undefined {
  try {
    new GoRegexp(origin);
  } catch (error) {
    return messageOf(error);
  }
  const pinned = /\^|\/\//.test(origin) && /[$:]/.test(origin);
  return pinned ? undefined : 'regular expression does not pin to start/end of host in the origin header';
}
