export {
  formatLabelSelector,
  labelSelectorAsMap,
  labelSelectorAsSelector,
  parseToLabelSelector,
  setAsLabelSelector,
} from './label-selector.ts';
export { parse, parseToRequirements } from './parse.ts';
export { type Operator, operators, Requirement } from './requirement.ts';
export { Selector } from './selector.ts';
export { conflicts, equals, formatLabels, formatSet, type Labels, merge } from './set.ts';
