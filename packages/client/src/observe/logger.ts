/** Where things are said that no caller waits to hear. Secrets never go there. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Says nothing. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };
