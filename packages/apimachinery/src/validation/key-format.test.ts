import { describe, expect, it } from 'vitest';
import {
  isCIdentifier,
  isConfigMapKey,
  isDecimalInteger,
  isEnvVarName,
  isHTTPHeaderName,
  isRelaxedEnvVarName,
  isValidPercent,
} from './key-format.ts';

const checks = {
  isCIdentifier,
  isConfigMapKey,
  isDecimalInteger,
  isEnvVarName,
  isHTTPHeaderName,
  isRelaxedEnvVarName,
  isValidPercent,
};

const identifier =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const envVar =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
const relaxed = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const configKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const header =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const integer = 'must be a valid decimal integer in canonical form';

describe('formats of keys', () => {
  it.each<[check: keyof typeof checks, values: string[]]>([
    ['isCIdentifier', ['a', '_', 'A_1']],
    ['isConfigMapKey', ['a', '.a', 'a..b', '-', 'A_1.b', 'a'.repeat(253)]],
    ['isDecimalInteger', ['0', '1', '-9', '12345678901234567890']],
    ['isEnvVarName', ['a', '_', '.a', '-', 'A.b-c_1']],
    ['isHTTPHeaderName', ['X-Header-Name', '-', '1']],
    ['isRelaxedEnvVarName', ['1a', 'a b', '..', '~!"']],
    ['isValidPercent', ['0%', '100%', '00%']],
  ])('%s accepts %j', (check, values) => {
    for (const value of values) expect(checks[check](value), value).toEqual([]);
  });

  it.each<[check: keyof typeof checks, value: string, messages: string[]]>([
    ['isCIdentifier', '1a', [identifier]],
    ['isCIdentifier', '', [identifier]],
    ['isConfigMapKey', '', [configKey]],
    ['isConfigMapKey', 'a b', [configKey]],
    ['isConfigMapKey', '.', ["must not be '.'"]],
    ['isConfigMapKey', '..', ["must not be '..'"]],
    ['isConfigMapKey', '..a', ["must not start with '..'"]],
    ['isConfigMapKey', 'a'.repeat(254), ['must be no more than 253 characters']],
    ['isDecimalInteger', '', ['must be non-empty']],
    ['isDecimalInteger', '01', [integer]],
    ['isDecimalInteger', '-0', [integer]],
    ['isDecimalInteger', '+1', [integer]],
    ['isEnvVarName', '1a', [envVar]],
    ['isEnvVarName', '', [envVar]],
    ['isEnvVarName', '..', ["must not be '..'"]],
    ['isEnvVarName', '..=', [envVar, "must not start with '..'"]],
    ['isHTTPHeaderName', 'a b', [header]],
    ['isRelaxedEnvVarName', '', ['environment variable name must be non-empty']],
    ['isRelaxedEnvVarName', 'a=b', [relaxed]],
    ['isRelaxedEnvVarName', 'a\x7f', [relaxed]],
    ['isRelaxedEnvVarName', 'é', [relaxed]],
    ['isValidPercent', '5', [percent]],
    ['isValidPercent', '-5%', [percent]],
  ])('%s refuses %j', (check, value, messages) => {
    expect(checks[check](value)).toEqual(messages);
  });
});
