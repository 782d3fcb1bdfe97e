export { isObject, isStrings, type JSONObject, objectsOf, textOf } from './json-value.ts';
export { RecordDirectory } from './record-directory.ts';
