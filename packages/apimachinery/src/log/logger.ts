import { type Verbosity, verbosity } from './verbosity.ts';

/**
 * The variable parts of a log entry: names and values, such as `{ pod, node: 'n1' }`. API objects are logged by their names, never whole.
 */
export type LogFields = Readonly<Record<string, unknown>>;

export type Severity = 'info' | 'warning' | 'error';

/** A log entry before it is formatted. */
export interface LogEntry {
  readonly severity: Severity;
  /** Of an info: the lowest verbosity at which it is logged. */
  readonly level: number;
  /** The name of the logger: `kube-scheduler`, or `kube-scheduler.queue` for a part of it. Empty for a logger without a name. */
  readonly name: string;
  readonly message: string;
  readonly fields: LogFields;
  /** The value that was thrown. */
  readonly error?: unknown;
}

/** Receives log entries, in order. Must not throw. */
export type LogSink = (entry: LogEntry) => void;

/**
 * Logs the events in a component, for the people who run it: each entry has a constant message, and fields for the variable parts.
 * Secrets must never be logged.
 *
 * @example
 * logger.info('Successfully bound pod to node', { pod, node: nodeName });
 * logger.error('Failed to update lease', error, { lease: key });
 * logger.v(4).info('Reconciled', { deployment, durationMs });
 */
export interface Logger {
  /** False if infos of this logger are not logged: then their fields need not be computed. */
  readonly enabled: boolean;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error?: unknown, fields?: LogFields): void;
  /**
   * Returns a logger whose infos are logged only at that verbosity or above; levels add up. As in Kubernetes: 2 for changes of state, 3
   * for details of them, 4 for debugging, 5 for tracing, 6 and above for requests and their contents. Warnings and errors are always
   * logged.
   */
  v(level: number): Logger;
  /** Returns a logger with these fields on every line. */
  with(fields: LogFields): Logger;
  /** Returns the logger of a part, which may have a verbosity of its own. Names are joined by dots. */
  named(name: string): Logger;
}

export interface LoggerOptions {
  /** The infos that are logged; by default those without a level. */
  readonly verbosity?: Verbosity;
  readonly name?: string;
}

export function newLogger(sink: LogSink, options: LoggerOptions = {}): Logger {
  return new SinkLogger(sink, options.verbosity ?? verbosity(0), options.name ?? '', 0, none);
}

const none: LogFields = {};

class SinkLogger implements Logger {
  readonly #sink: LogSink;
  readonly #verbosity: Verbosity;
  readonly #name: string;
  readonly #level: number;
  readonly #fields: LogFields;

  constructor(sink: LogSink, verbosity: Verbosity, name: string, level: number, fields: LogFields) {
    this.#sink = sink;
    this.#verbosity = verbosity;
    this.#name = name;
    this.#level = level;
    this.#fields = fields;
  }

  get enabled(): boolean {
    return this.#level === 0 || this.#level <= this.#verbosity.of(this.#name);
  }

  info(message: string, fields?: LogFields): void {
    if (this.enabled) this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warning', message, fields);
  }

  error(message: string, error?: unknown, fields?: LogFields): void {
    this.#write('error', message, fields, error);
  }

  v(level: number): Logger {
    return new SinkLogger(this.#sink, this.#verbosity, this.#name, this.#level + level, this.#fields);
  }

  with(fields: LogFields): Logger {
    return new SinkLogger(this.#sink, this.#verbosity, this.#name, this.#level, this.#allOf(fields));
  }

  named(name: string): Logger {
    const whole = this.#name === '' ? name : `${this.#name}.${name}`;
    return new SinkLogger(this.#sink, this.#verbosity, whole, this.#level, this.#fields);
  }

  #allOf(fields: LogFields): LogFields {
    return this.#fields === none ? fields : { ...this.#fields, ...fields };
  }

  #write(severity: Severity, message: string, fields: LogFields | undefined, error?: unknown): void {
    const entry = {
      severity,
      level: this.#level,
      name: this.#name,
      message,
      fields: fields ? this.#allOf(fields) : this.#fields,
    };
    this.#sink(error === undefined ? entry : { ...entry, error });
  }
}
