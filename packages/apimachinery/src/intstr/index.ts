export {
  getScaledValueFromIntOrPercent,
  intValue,
  isInt,
  isIntOrString,
  isPercentage,
  parseIntOrString,
} from './int-or-string.ts';
export { parseInt64 } from './parse-int.ts';
