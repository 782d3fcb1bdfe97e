import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyYaml } from '@coxswain/apimachinery/codec';
import { describe, expect, it } from 'vitest';
import { certificates } from './certificates.test-data.ts';
import { generateTypeFiles } from './generate-type-files.ts';
import { generateTypes } from './generate-types.ts';

const cronTabs = readFileSync(join(import.meta.dirname, '../../../../examples/manifests/crontab-crd.yaml'), 'utf8');

describe('generateTypeFiles', () => {
  it('writes a module for each definition, and skips other kinds', () => {
    const other = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [certificates] });
    const files = generateTypeFiles([`${other}---\n${cronTabs}---\n`, list]);
    expect(files.map(({ name }) => name)).toEqual([
      'crontabs.stable.example.com.ts',
      'certificates.pki.example.com.ts',
    ]);
    expect(files[1]!.text).toBe(generateTypes(certificates));
    expect(files[0]!.text).toContain('  /** When: minute, hour, day, month, weekday. */\n  cronSpec: string;\n');
  });

  const refused: Record<string, { manifests: string[]; message: string }> = {
    'there is no definition': { manifests: ['---\n'], message: 'there is no CustomResourceDefinition' },
    'a definition is duplicated': {
      manifests: [cronTabs, cronTabs],
      message: 'the CustomResourceDefinition crontabs.stable.example.com occurs twice',
    },
    'a definition is v1beta1': {
      manifests: [stringifyYaml({ ...certificates, apiVersion: 'apiextensions.k8s.io/v1beta1' })],
      message: 'a CustomResourceDefinition must be of apiextensions.k8s.io/v1, not apiextensions.k8s.io/v1beta1',
    },
    'a definition has an empty spec': {
      manifests: [stringifyYaml({ ...certificates, spec: {} })],
      message: 'the CustomResourceDefinition has no group, names and versions',
    },
    'a document is not an object': {
      manifests: ['[1]'],
      message: 'the manifest has a document that is not an object with a kind',
    },
  };
  it.each(Object.entries(refused))('refuses when %s', (_sentence, { manifests, message }) => {
    expect(() => generateTypeFiles(manifests)).toThrow(message);
  });
});
