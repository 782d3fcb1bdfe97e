/** Structured logs: a message, fields, levels; text and JSON. What becomes of a line is the business of a `LogSink`. */
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
