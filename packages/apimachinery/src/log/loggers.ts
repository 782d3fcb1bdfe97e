import { textFieldsOf } from './format.ts';
import { type Logger, newLogger } from './logger.ts';

/** Logs nothing. */
export const silentLogger: Logger = newLogger(() => {});

/** Warnings and errors go to the console, and nothing else. What was thrown goes there as it is, for its stack. */
export const consoleLogger: Logger = newLogger(({ error, ...entry }) => {
  if (entry.severity === 'info') return;
  const line = `${entry.name && `${entry.name}: `}${entry.message}${textFieldsOf(entry)}`;
  if (entry.severity === 'warning') console.warn(line);
  else if (error === undefined) console.error(line);
  else console.error(line, error);
});
