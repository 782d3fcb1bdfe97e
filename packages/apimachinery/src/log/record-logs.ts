import { textFieldsOf } from './format.ts';
import { type LogEntry, type Logger, newLogger } from './logger.ts';
import { verbosity } from './verbosity.ts';

export interface LogRecord {
  readonly logger: Logger;
  /** In the order in which they were logged. */
  readonly entries: readonly LogEntry[];
  /** The entries as text: `error "Failed to update lease" err="conflict" lease="default/web"`. */
  readonly lines: readonly string[];
  /** Removes all entries. */
  clear(): void;
}

export interface LogRecordOptions {
  /** The highest level of the infos that are recorded. Default: 0. */
  readonly verbosity?: number;
  /** Called for each line, as soon as it is logged. */
  readonly onLine?: (line: string, entry: LogEntry) => void;
}

/** Returns a logger for tests that records its entries. */
export function recordLogs(options: LogRecordOptions = {}): LogRecord {
  const entries: LogEntry[] = [];
  const lines: string[] = [];
  const sink = (entry: LogEntry): void => {
    const line = `${entry.severity} ${JSON.stringify(entry.message)}${textFieldsOf(entry)}`;
    entries.push(entry);
    lines.push(line);
    options.onLine?.(line, entry);
  };
  const logger = newLogger(sink, { verbosity: verbosity(options.verbosity ?? 0) });
  const clear = (): void => {
    entries.length = 0;
    lines.length = 0;
  };
  return { logger, entries, lines, clear };
}
