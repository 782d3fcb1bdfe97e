/** The logging flags of a component, and the logger they configure. Start at `component-logging.ts`. */
export { type ComponentLogging, type ComponentLoggingOptions, componentLogging } from './component-logging.ts';
export { type DebugFlagsRequest, debugFlagsPages, isDebugFlagsPath } from './debug-flags-pages.ts';
export { type LoggingOptions, type LoggingSettings, loggingFlags } from './logging-flags.ts';
export { loggingProblems, validateLogging } from './validate-logging.ts';
