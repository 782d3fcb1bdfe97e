/** kubectl's dialect of JSONPath, for printer columns and selectable fields. */
export { compileJsonPath, type JsonPath, printJsonPathResult } from './json-path.ts';
