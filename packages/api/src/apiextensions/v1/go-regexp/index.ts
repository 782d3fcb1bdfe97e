export { GoRegexp } from './go-regexp.ts';
export { GoRegexpError } from './syntax.ts';
