import { parseNamedVerbosity } from '@coxswain/apimachinery/log';
import { type Completed, flag, type Given } from '../flags/flag.ts';
import { type FlagType, string, unsigned } from '../flags/flag-types.ts';

const mostVerbose = 2 ** 31 - 1;

export const level: FlagType<number> = {
  name: 'Level',
  read(text) {
    const value = unsigned.read(text, undefined);
    if (value > mostVerbose) throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`);
    return value;
  },
};

/** Repeated flags append. */
const patterns: FlagType<string> = {
  name: 'pattern=N,...',
  read(text, before) {
    parseNamedVerbosity(text);
    return before ? `${before},${text}` : text;
  },
};

/** Upstream's logging flags. */
export const loggingFlags = {
  'logging-format': { ...flag(string, 'Format of log lines: text or json', 'text'), values: ['text', 'json'] },
  v: { ...flag(level, 'How much is logged: 2 for changes of state, 4 for debugging, up to 10', 0), shorthand: 'v' },
  vmodule: flag(
    patterns,
    "Other levels for some loggers, by name: 'reflector=5,kube-scheduler*=4'; with the text format only",
    '',
  ),
} as const;

/** The given values of the logging flags. */
export type LoggingOptions = Given<typeof loggingFlags>;

/** The values of the logging flags with defaults. */
export type LoggingSettings = Completed<typeof loggingFlags>;
