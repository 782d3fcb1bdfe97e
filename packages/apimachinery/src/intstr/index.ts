export { parseInt64 } from '../strconv/parse-int.ts';
export {
  getScaledValueFromIntOrPercent,
  intValue,
  isInt,
  isIntOrString,
  isPercentage,
  parseIntOrString,
} from './int-or-string.ts';
