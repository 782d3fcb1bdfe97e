/** Structured logs: messages with fields and levels, formatted as text or JSON. A `LogSink` writes the lines. */
export { reasonOf } from './field-value.ts';
export { jsonFormat, type LogFormat, textFieldsOf, textFormat } from './format.ts';
export {
  type LogEntry,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogSink,
  newLogger,
  type Severity,
} from './logger.ts';
export { consoleLogger, silentLogger } from './loggers.ts';
export { type LogRecord, type LogRecordOptions, recordLogs } from './record-logs.ts';
export { type NamedVerbosity, parseNamedVerbosity, type Verbosity, verbosity } from './verbosity.ts';
