import { textFieldsOf } from './format.ts';
import { type Logger, newLogger } from './logger.ts';

/** Logs nothing. */
export const silentLogger: Logger = newLogger(() => {});

/** Writes warnings and errors to the console, and drops infos. A thrown value is passed to the console as it is, for its stack. */
export const consoleLogger: Logger = newLogger(({ error, ...entry }) => {
  if (entry.severity === 'info') return;
  const line = `${entry.name && `${entry.name}: `}${entry.message}${textFieldsOf(entry)}`;
  if (entry.severity === 'warning') console.warn(line);
  else if (error === undefined) console.error(line);
  else console.error(line, error);
});
