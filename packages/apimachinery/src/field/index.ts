export { quote } from '../strconv/quote.ts';
export * from './error.ts';
export { MAX_FIELD_ERRORS, withErrorLimit, withErrorLimitInSteps } from './error-limit.ts';
export { Path } from './path.ts';
