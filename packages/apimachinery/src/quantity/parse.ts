import { dropDigits, isInt64, maxInt64 } from './decimal.ts';
import { interpretSuffix, type QuantityFormat } from './suffix.ts';

/** `unscaled * 10^scale`, with what upstream remembers besides. */
export interface Amount {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** Upstream would hold it as a big decimal rather than a scaled int64. */
  readonly wide: boolean;
  /** The text, where upstream takes it for the canonical form without a closer look. */
  readonly text?: string;
}

const formatWrong =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numberAndSuffix = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?|[-+])?[0-9]*)$/;
const nano = -9;

/** Digits and scale of the narrow form never overflow an int64 with this many digits. */
const maxNarrowDigits = 18;

/** Reads a quantity. Throws an Error with upstream's text when it is none. */
export function parseAmount(text: string): Amount {
  const match = text === '' ? null : numberAndSuffix.exec(text);
  if (!match) throw new Error(formatWrong);
  const [, sign, integer, fraction = '', suffixText] = match as unknown as [string, string, string, string?, string?];
  const suffix = interpretSuffix(suffixText ?? '');
  if (!suffix) throw new Error("unable to parse quantity's suffix");
  const number: ParsedNumber = { negative: sign === '-', integer: integer.replace(/^0+/, '') || '0', fraction };
  return narrowAmount(text, number, suffix) ?? wideAmount(number, suffix);
}
