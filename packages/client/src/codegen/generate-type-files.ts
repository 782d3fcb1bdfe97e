import { generateTypes } from './generate-types.ts';
import { readDefinitions } from './read-definitions.ts';

export interface GeneratedFile {
  /** The definition's name, which is unique, as a module name: `crontabs.stable.example.com.ts`. */
  readonly name: string;
  readonly text: string;
}

/**
 * Generates a module for every CustomResourceDefinition in the manifests, in their order. Throws when there is none, or
 * when one occurs twice.
 */
export function generateTypeFiles(manifests: readonly string[]): GeneratedFile[] {
  const files = new Map<string, GeneratedFile>();
  for (const definition of manifests.flatMap(readDefinitions)) {
    const name = `${definition.spec.names.plural}.${definition.spec.group}.ts`;
    if (files.has(name)) throw new Error(`the CustomResourceDefinition ${name.slice(0, -3)} occurs twice`);
    files.set(name, { name, text: generateTypes(definition) });
  }
  if (files.size === 0) throw new Error('there is no CustomResourceDefinition');
  return [...files.values()];
}
