import { stringFormat } from '@coxswain/api';
import {
  isQualifiedName,
  isValidLabelValue,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  type ValidateNameFunc,
} from '@coxswain/apimachinery';
import {
  multiplyByFactor,
  REGEX_STRING_LENGTH_COST_FACTOR,
  STRING_TRAVERSAL_COST_FACTOR,
} from '../checking/cost-estimate.ts';
import type { CallCost, Library } from '../checking/function-declaration.ts';
import { costSize } from '../values/runtime-type.ts';
import { type CelType, listOf, objectType, optionalOf, STRING } from '../values/types.ts';
import { ArrayList, CelError, type CelValue, OpaqueValue, Optional } from '../values/values.ts';
import { argument, nominalCost } from './call-cost.ts';
import { globalFunction, method } from './declare.ts';
import { parseRequestUri } from './go-url.ts';

const FORMAT: CelType<FormatValue> = objectType('kubernetes.NamedFormat');

/** A named format for strings. */
export class FormatValue extends OpaqueValue {
  readonly celType = FORMAT;
  readonly name: string;
  /** Returns the errors of a text; empty if it has the format. */
  readonly validate: (text: string) => readonly string[];
  /** The length of a regular expression for the format, for the cost. */
  readonly regexSize: number;

  constructor(name: string, regexSize: number, validate: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.regexSize = regexSize;
    this.validate = validate;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof FormatValue)) throw new CelError('no such overload');
    return this.name === other.name;
  }
}

const name =
  (validate: ValidateNameFunc, isPrefix: boolean) =>
  (text: string): string[] =>
    validate(text, isPrefix);

/** Returns a validator for a format of OpenAPI schemas. */
const schemaFormat = (format: string, problem: string) => (text: string) =>
  stringFormat(format)?.(text) ? [] : [problem];

function uriProblems(text: string): string[] {
  try {
    parseRequestUri(text);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

const formats: ReadonlyMap<string, FormatValue> = new Map([
  ['dns1123Label', new FormatValue('DNS1123Label', 30, name(nameIsDnsLabel, false))],
  ['dns1123Subdomain', new FormatValue('DNS1123Subdomain', 60, name(nameIsDnsSubdomain, false))],
  ['dns1035Label', new FormatValue('DNS1035Label', 30, name(nameIsDns1035Label, false))],
  ['qualifiedName', new FormatValue('QualifiedName', 60, isQualifiedName)],
  ['dns1123LabelPrefix', new FormatValue('DNS1123LabelPrefix', 30, name(nameIsDnsLabel, true))],
  ['dns1123SubdomainPrefix', new FormatValue('DNS1123SubdomainPrefix', 60, name(nameIsDnsSubdomain, true))],
  ['dns1035LabelPrefix', new FormatValue('DNS1035LabelPrefix', 30, name(nameIsDns1035Label, true))],
  ['labelValue', new FormatValue('LabelValue', 40, isValidLabelValue)],
  ['uri', new FormatValue('URI', 1103, uriProblems)],
  ['uuid', new FormatValue('uuid', 70, schemaFormat('uuid', 'does not match the UUID format'))],
  ['byte', new FormatValue('byte', 84, schemaFormat('byte', 'invalid base64'))],
  ['date', new FormatValue('date', 71, schemaFormat('date', 'invalid date'))],
  ['datetime', new FormatValue('datetime', 71, schemaFormat('datetime', 'invalid datetime'))],
]);

/** The maximum regexSize, for the estimate: the format is not known at compile time. */
const maxRegexSize = 128;

const maxNameSize = 64;

const validateCost: CallCost = {
  estimate(call) {
    const traversal = multiplyByFactor(call.sizeOf(argument(call, 1)), STRING_TRAVERSAL_COST_FACTOR);
    return { cost: multiplyByFactor(traversal, maxRegexSize * REGEX_STRING_LENGTH_COST_FACTOR) };
  },
  actual([format, text]) {
    const regexSize = format instanceof FormatValue ? format.regexSize : 0;
    return (
      Math.ceil((1 + costSize(text!)) * STRING_TRAVERSAL_COST_FACTOR) *
      Math.ceil(regexSize * REGEX_STRING_LENGTH_COST_FACTOR)
    );
  },
};

/** `format.named()`, a function for each format, and `validate()`. */
export const formatLibrary: Library = {
  name: 'kubernetes.format',
  estimateEquality: ({ name: type }) =>
    type === FORMAT.name ? multiplyByFactor({ min: 1, max: maxNameSize }, STRING_TRAVERSAL_COST_FACTOR) : undefined,
  functions: [
    method('validate', {
      id: 'format-validate',
      parameters: [FORMAT, STRING],
      result: optionalOf(listOf(STRING)),
      cost: validateCost,
      call(format, text) {
        const problems = format.validate(text);
        return problems.length === 0 ? Optional.NONE : Optional.of(new ArrayList(problems));
      },
    }),
    globalFunction('format.named', {
      id: 'format-named',
      parameters: [STRING],
      result: optionalOf(FORMAT),
      cost: nominalCost,
      call(formatName) {
        const format = formats.get(formatName);
        return format ? Optional.of(format) : Optional.NONE;
      },
    }),
    ...Array.from(formats, ([formatName, format]) =>
      globalFunction(`format.${formatName}`, {
        id: `format.${formatName}`,
        parameters: [],
        result: FORMAT,
        call: () => format,
      }),
    ),
  ],
};
