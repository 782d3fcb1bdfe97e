import { readFileSync } from 'node:fs';
import { CountingEventLoop } from '@coxswain/apimachinery/turns';
import { tests as suite } from '@bufbuild/cel-spec/testdata/conformance.js';
import { describe, expect, it } from 'vitest';
import type { FunctionDeclaration, Overload } from './checking/function-declaration.ts';
import { CelEnvironment } from './environment/environment.ts';
import { kubernetesLibraries } from './library/index.ts';
import { CelProgramError } from './plan/planner.ts';
import { BINDINGS_LIBRARY } from './standard/optional-library.ts';
import { CelCompileError } from './syntax/source.ts';
import { EntryMap } from './values/collections.ts';
import { parseDuration } from './values/duration.ts';
import { celEquals } from './values/equality.ts';
import { parseTimestamp } from './values/timestamp.ts';
import {
  BOOL,
  BYTES,
  CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  objectType,
  opaque,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOf,
  typeParam,
  UINT,
} from './values/types.ts';
import { ArrayList, type CelValue, TypeValue, Uint } from './values/values.ts';

/** Suites (`name`), sections (`suite/section`) and tests (`suite/section/test`) that are left out, with the reason. */
const leftOut: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('./testdata/conformance-left-out.json', import.meta.url), 'utf8'),
);

type Json = string | number | boolean | null | Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

function record(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
}

function array(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  BYTES,
  DOUBLE,
  INT64: INT,
  STRING,
  UINT64: UINT,
  DURATION,
  TIMESTAMP,
};

const MESSAGES: Readonly<Record<string, CelType>> = {
  'google.protobuf.Duration': DURATION,
  'google.protobuf.Timestamp': TIMESTAMP,
};

function toType(json: Json | undefined): CelType {
  const [[kind, spec] = ['dyn', null]] = Object.entries(record(json));
  switch (kind) {
    case 'primitive':
    case 'wellKnown':
      return PRIMITIVES[String(spec)] ?? DYN;
    case 'null':
      return NULL;
    case 'listType':
      return listOf(toType(record(spec).elemType));
    case 'mapType':
      return mapOf(toType(record(spec).keyType), toType(record(spec).valueType));
    case 'typeParam':
      return typeParam(String(spec));
    case 'type':
      return Object.keys(record(spec)).length === 0 ? TYPE : typeOf(toType(spec));
    case 'messageType':
      return MESSAGES[String(spec)] ?? objectType(String(spec));
    case 'abstractType':
      return opaque(String(record(spec).name), array(record(spec).parameterTypes).map(toType));
    default:
      return DYN;
  }
}

const WELL_KNOWN: Readonly<Record<string, (json: JsonObject) => CelValue | undefined>> = {
  'type.googleapis.com/google.protobuf.Duration': ({ value }) => parseDuration(String(value)),
  'type.googleapis.com/google.protobuf.Timestamp': ({ value }) => parseTimestamp(String(value)),
};

function toValue(json: Json | undefined): CelValue {
  const [[kind, spec] = ['nullValue', null]] = Object.entries(record(json));
  switch (kind) {
    case 'int64Value':
      return BigInt(String(spec));
    case 'uint64Value':
      return new Uint(BigInt(String(spec)));
    case 'doubleValue':
      return Number(spec);
    case 'stringValue':
      return String(spec);
    case 'boolValue':
      return spec === true;
    case 'bytesValue':
      return new Uint8Array(Buffer.from(String(spec), 'base64'));
    case 'listValue':
      return new ArrayList(array(record(spec).values).map(toValue));
    case 'mapValue':
      return new EntryMap(
        array(record(spec).entries).map((entry) => [toValue(record(entry).key), toValue(record(entry).value)]),
      );
    case 'typeValue':
      return new TypeValue(new CelType('opaque', String(spec)));
    case 'objectValue': {
      const object = record(spec);
      return WELL_KNOWN[String(object['@type'])]?.(object) ?? `unknown message ${JSON.stringify(spec)}`;
    }
    default:
      return null;
  }
}

function toFunction(name: string, json: Json | undefined): FunctionDeclaration {
  const overloads = array(record(json).overloads).map((overload): Overload => {
    const spec = record(overload);
    return {
      id: String(spec.overloadId),
      isMember: spec.isInstanceFunction === true,
      parameters: array(spec.params).map(toType),
      result: toType(spec.resultType),
      isAsync: false,
      call: () => null,
    };
  });
  return { name, overloads };
}

function environmentOf(test: JsonObject): CelEnvironment {
  const declarations = array(test.typeEnv).map(record);
  const variables = new Map<string, CelType>();
  const functions: FunctionDeclaration[] = [];
  for (const declaration of declarations) {
    const name = String(declaration.name);
    if (declaration.ident !== undefined) variables.set(name, toType(record(declaration.ident).type));
    if (declaration.function !== undefined) functions.push(toFunction(name, declaration.function));
  }
  return new CelEnvironment({
    libraries: [...kubernetesLibraries, BINDINGS_LIBRARY, { name: 'test', functions }],
    variables,
    container: String(test.container ?? ''),
    escapedIdentifiers: true,
    mixedLiterals: true,
    validatesLiterals: false,
  });
}

/** Returns the outcome of a test: a value, or that there was an error of some kind. */
function outcome(test: JsonObject): { readonly value?: CelValue; readonly type?: string; readonly failed?: string } {
  try {
    const compiled = environmentOf(test).compile(String(test.expr));
    const type = compiled.type.toString();
    if (test.checkOnly === true) return { type };
    const bindings = new Map(
      Object.entries(record(test.bindings)).map(([name, value]) => [name, toValue(record(value).value)]),
    );
    const { value, error } = compiled
      .program()
      .evaluate(bindings, { eventLoop: new CountingEventLoop({ msPerLook: 0 }) });
    return error === undefined ? { value, type } : { failed: error.message };
  } catch (error) {
    if (error instanceof CelCompileError || error instanceof CelProgramError) return { failed: error.message };
    throw error;
  }
}

/** Compares values as the conformance suite defines it: of the same type, and NaN equal to NaN. */
function same(actual: CelValue | undefined, expected: CelValue): boolean {
  if (actual === undefined) return false;
  if (typeof actual === 'number' && typeof expected === 'number') return Object.is(actual + 0, expected + 0);
  if (typeof actual === 'number' || typeof expected === 'number') return false;
  if (actual instanceof Uint !== expected instanceof Uint) return false;
  return celEquals(actual, expected);
}

describe('conformance', () => {
  for (const { name: suiteName, suites = [] } of suite.suites ?? []) {
    for (const { name: section, tests = [] } of suites) {
      for (const { original } of tests) {
        const test = record(original as Json);
        const path = `${suiteName}/${section}/${String(test.name)}`;
        if ([suiteName, `${suiteName}/${section}`, path].some((key) => Object.hasOwn(leftOut, key))) continue;
        it(`${path}: ${String(test.expr).slice(0, 100)}`, () => {
          const actual = outcome(test);
          const typed = record(test.typedResult);
          if (test.evalError !== undefined) {
            expect(actual.failed).toEqual(expect.any(String));
            return;
          }
          expect(actual.failed).toBeUndefined();
          if (typed.deducedType !== undefined) expect(actual.type).toBe(toType(typed.deducedType).toString());
          if (test.checkOnly === true) return;
          const json = test.value ?? typed.result;
          const expected = json === undefined ? true : toValue(json);
          expect(same(actual.value, expected), `${String(actual.value)} is not ${JSON.stringify(json)}`).toBe(true);
        });
      }
    }
  }
});
