import {
  jsonFormat,
  type Logger,
  type LogSink,
  newLogger,
  parseNamedVerbosity,
  textFormat,
  type Verbosity,
  verbosity,
} from '@coxswain/apimachinery/log';
import type { LoggingOptions } from './logging-flags.ts';

export interface ComponentLoggingOptions {
  /** Upstream's name of the component: `kube-scheduler`. */
  readonly name: string;
  readonly given: LoggingOptions;
  /** Writes a line, which ends with a newline. */
  readonly write: (line: string) => void;
  readonly now: () => Date;
  /** Stands between the logger and what writes, to leave entries out. */
  readonly filter?: (write: LogSink) => LogSink;
  /** Text lines have it as klog's do. */
  readonly processId?: number;
}

export interface ComponentLogging {
  readonly logger: Logger;
  /** May be changed while the component runs. */
  readonly verbosity: Verbosity;
}

/** A component's logger, as its flags ask for it. What `validateLogging` finds fault with must not be given. */
export function componentLogging(options: ComponentLoggingOptions): ComponentLogging {
  const { loggingFormat = 'text', v = 0, vmodule = '' } = options.given;
  const format = loggingFormat === 'json' ? jsonFormat : textFormat(options.processId);
  const level = verbosity(v, parseNamedVerbosity(vmodule));
  const { name, write, now, filter } = options;
  const sink: LogSink = (entry) => write(format(entry, now()));
  const logger = newLogger(filter?.(sink) ?? sink, { name, verbosity: level });
  return { logger, verbosity: level };
}
