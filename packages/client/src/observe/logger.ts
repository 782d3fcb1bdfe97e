/** Where things are said that no caller waits to hear. Secrets never go there. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Says nothing. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };

/** Warnings and errors go to the console, and nothing else. */
export const consoleLogger: Logger = {
  info() {},
  warn: (message) => console.warn(message),
  error: (message, error) => (error === undefined ? console.error(message) : console.error(message, error)),
};
