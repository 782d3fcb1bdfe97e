export { cloneJson } from './clone.ts';
export { assertJsonDepth, JsonDepthError, MAX_JSON_DEPTH } from './depth.ts';
export { diffJson, formatJsonDiff, formatJsonPath, type JsonChange, type JsonPath } from './diff.ts';
export { type JsonEqualsOptions, jsonEquals } from './equals.ts';
export { formatValue, jsonKind } from './go-value.ts';
export { isJsonObject, ownEntry, setOwnEntry } from './own-entry.ts';
export { hasMoreJsonParts, hasMoreParts } from './parts.ts';
