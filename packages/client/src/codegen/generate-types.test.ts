import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomResourceDefinition, JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificates } from './certificates.test-data.ts';
import { generateTypes } from './generate-types.ts';

const root = join(import.meta.dirname, '../../../..');

/** A definition of the kind `Thing` with this schema for its spec. */
function things(spec: JSONSchemaProps): CustomResourceDefinition {
  return {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { kind: 'Thing', plural: 'things' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
}

describe('generateTypes', () => {
  const cases: Record<string, { property: JSONSchemaProps; line: string }> = {
    'a string': { property: { type: 'string' }, line: 'x?: string;' },
    'an integer': { property: { type: 'integer', format: 'int64' }, line: 'x?: number;' },
    'a number': { property: { type: 'number' }, line: 'x?: number;' },
    'a boolean': { property: { type: 'boolean' }, line: 'x?: boolean;' },
    'a nullable string': { property: { type: 'string', nullable: true }, line: 'x?: string | null;' },
    'an enumeration': { property: { type: 'string', enum: ['a', "b'c\\"] }, line: "x?: 'a' | 'b\\'c\\\\';" },
    'an enumeration of numbers': { property: { type: 'integer', enum: [1, 2, 2] }, line: 'x?: 1 | 2;' },
    'a nullable enumeration': {
      property: { type: 'string', nullable: true, enum: ['a', null] },
      line: "x?: 'a' | null;",
    },
    'an enumeration of objects': {
      property: { type: 'object', additionalProperties: true, enum: [{ a: 1 }] },
      line: 'x?: { [key: string]: unknown };',
    },
    'a number or a name': { property: { 'x-kubernetes-int-or-string': true }, line: 'x?: number | string;' },
    'a list of numbers or names': {
      property: { type: 'array', items: { 'x-kubernetes-int-or-string': true } },
      line: 'x?: (number | string)[];',
    },
    'a list of lists': {
      property: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
      line: 'x?: string[][];',
    },
    'a list of anything': { property: { type: 'array' }, line: 'x?: unknown[];' },
    'a list of objects': {
      property: { type: 'array', items: { type: 'object', properties: {} } },
      line: 'x?: ThingSpecXItem[];',
    },
    'a map': {
      property: { type: 'object', additionalProperties: { type: 'string' } },
      line: 'x?: { [key: string]: string };',
    },
    'a map of objects': {
      property: { type: 'object', additionalProperties: { type: 'object', properties: {} } },
      line: 'x?: { [key: string]: ThingSpecXValue };',
    },
    'an object of any form': {
      property: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      line: 'x?: { [key: string]: unknown };',
    },
    'an object without properties': { property: { type: 'object' }, line: 'x?: { [key: string]: never };' },
    anything: { property: { 'x-kubernetes-preserve-unknown-fields': true }, line: 'x?: unknown;' },
    'a field with a default': {
      property: { type: 'string', default: 'a' },
      line: '/** @default "a" */\n  x?: string;',
    },
    'a field with a description': {
      property: { type: 'string', description: 'One.\nTwo. */ Three.\n' },
      line: '/**\n   * One.\n   * Two. *\\/ Three.\n   */\n  x?: string;',
    },
  };
  it.each(Object.entries(cases))('writes %s', (_sentence, { property, line }) => {
    const text = generateTypes(things({ type: 'object', properties: { x: property } }));
    expect(text).toContain(`export interface ThingSpec {\n  ${line}\n}`);
  });

  it('marks required fields, also those that allOf requires', () => {
    const x: JSONSchemaProps = { type: 'string' };
    const spec: JSONSchemaProps = {
      type: 'object',
      required: ['a'],
      allOf: [{ required: ['b'] }],
      properties: { a: x, b: x, c: x },
    };
    expect(generateTypes(things(spec))).toContain('{\n  a: string;\n  b: string;\n  c?: string;\n}');
  });

  it('writes one interface for a oneOf whose branches it cannot tell apart', () => {
    const x: JSONSchemaProps = { type: 'string' };
    for (const oneOf of [
      [{ required: ['a'] }, { required: ['a', 'b'] }],
      [{ required: ['a'] }, { required: ['unknown'] }],
      [{ required: ['a'] }, {}],
      [{ required: ['a'] }, { required: ['b'], not: { required: ['a'] } }],
    ])
      expect(generateTypes(things({ type: 'object', oneOf, properties: { a: x, b: x } }))).toContain(
        'export interface ThingSpec {\n  a?: string;\n  b?: string;\n}',
      );
  });

  it('writes the preferred version under the plain name, and no version that is not served', () => {
    const text = generateTypes(certificates);
    const declared = [...text.matchAll(/^export (?:interface|type|const) (\w+)/gm)].map(([, name]) => name);
    expect(declared.slice(0, 3)).toEqual(['Certificate', 'CertificateList', 'certificateResource']);
    expect(declared.slice(-4)).toEqual([
      'CertificateV1beta1',
      'CertificateListV1beta1',
      'certificateV1beta1Resource',
      'CertificateV1beta1Spec',
    ]);
    expect(new Set(declared).size).toBe(declared.length);
    expect(text).toContain('/** @deprecated use v1 */\nexport interface CertificateV1beta1 {');
    expect(text).not.toContain('V1alpha1');
  });

  it('throws for a definition without served versions, and for a schema that is nested too deep', () => {
    const definition = things({ type: 'object' });
    const versions = definition.spec.versions.map((version) => ({ ...version, served: false }));
    expect(() => generateTypes({ ...definition, spec: { ...definition.spec, versions } })).toThrow(
      'things.example.com serves no version',
    );
    let deep: JSONSchemaProps = { type: 'string' };
    for (let depth = 0; depth < 1000; depth += 1) deep = { type: 'array', items: deep };
    expect(() => generateTypes(things(deep))).toThrow('the schema is nested more than 200 levels deep');
  });
});

describe('the generated module', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'generated-types-'));
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('compiles, accepts valid objects and rejects invalid ones', () => {
    writeFileSync(join(directory, 'certificates.ts'), generateTypes(certificates));
    writeFileSync(join(directory, 'usage.ts'), readFileSync(join(import.meta.dirname, 'certificates.usage.txt')));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2024',
      lib: ['ES2023', 'DOM'],
      module: 'NodeNext',
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      customConditions: ['coxswain-source'],
      types: [],
    };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    // Proves that the compiler checks the files of this directory.
    writeFileSync(join(directory, 'wrong.ts'), "export const wrong: number = 'a string';");
    expect(compilerSays(directory)).toEqual([expect.stringContaining('wrong.ts(1,14): error TS2322')]);
  });
});

/** The compiler's errors in the files of the directory; empty when there are none. */
function compilerSays(directory: string): string[] {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, error } = spawnSync(process.execPath, [compiler, '-p', '.'], { cwd: directory, encoding: 'utf8' });
  if (error) throw error;
  return stdout.split('\n').filter((line) => /^\w+\.ts\(/.test(line));
}
