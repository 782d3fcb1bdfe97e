export { escapeValue, unescapeValue } from './escape.ts';
export { parse, parseAndTransform } from './parse.ts';
export {
  type Fields,
  oneTermEqualSelector,
  oneTermNotEqualSelector,
  type Requirement,
  Selector,
  type TransformFunc,
} from './selector.ts';
