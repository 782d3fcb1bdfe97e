import { createHash } from 'node:crypto';
import { type Catalogue, type Descriptions, loadDescriptions } from '@coxswain/api';
import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import {
  DefinitionBuilder,
  type Dialect,
  type JsonObject,
  kindsOfTypes,
  knownGroupVersions,
  type OpenApiProvider,
  type V2Part,
  v2,
  v2Parts,
  v3,
  v3Document,
} from '../../openapi/index.ts';
import { versionInfo } from '../../version/index.ts';
import { addDefinitions } from './custom-definitions.ts';
import { type CustomKind, customKinds } from './custom-kind.ts';
import { customOperations } from './custom-operations.ts';

/** Must be incremented when the generated documents change, since clients cache documents by their hash. */
const generatorRevision = 1;

const info: JsonObject = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };

/** Groups that are not registered in upstream's scheme for custom resources. */
const foreignGroups = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
]);

interface Published {
  readonly kinds: readonly CustomKind[];
  /** Computed on first use. */
  readonly hashes: Map<CustomKind, string>;
}

/**
 * The OpenAPI documents of custom resources, one for each group version. Documents are generated on request. A change
 * of a definition changes only the documents of its group versions.
 */
export class CustomResourceOpenApi implements OpenApiProvider {
  readonly #catalogue: Catalogue;
  readonly #changed: () => void;
  /** By the name of the definition. */
  readonly #published = new Map<string, Published>();
  #descriptions: Promise<Descriptions> | undefined;

  /** `changed` is called when the documents have changed: `OpenApiService.changed`. */
  constructor(catalogue: Catalogue, changed: () => void) {
    this.#catalogue = catalogue;
    this.#changed = changed;
  }

  /** Publishes the served versions of an established definition, replacing earlier ones. */
  publish(definition: CustomResourceDefinition): void {
    this.#published.set(definition.metadata.name ?? '', { kinds: customKinds(definition), hashes: new Map() });
    this.#changed();
  }

  /** Removes the documents of a definition that was deleted or is no longer established. */
  withdraw(name: string): void {
    if (this.#published.delete(name)) this.#changed();
  }

  async documents(): Promise<ReadonlyMap<string, string>> {
    const hashes = new Map<string, string[]>();
    for (const { kinds, hashes: known } of this.#published.values()) {
      for (const kind of kinds) {
        const hash = known.get(kind) ?? hashOf([versionInfo.gitVersion, generatorRevision, kind]);
        known.set(kind, hash);
        hashes.set(pathOf(kind), [...(hashes.get(pathOf(kind)) ?? []), hash]);
      }
    }
    return new Map([...hashes].map(([path, each]) => [path, hashOf(each.sort())]));
  }

  async v3(path: string): Promise<JsonObject> {
    const descriptions = await this.#loadDescriptions();
    const kinds = this.#kinds().filter((kind) => pathOf(kind) === path);
    const definitions = this.#definitions(kinds, v3, descriptions);
    return v3Document(this.#operations(kinds, descriptions), definitions, { info });
  }

  async v2(): Promise<V2Part> {
    const descriptions = await this.#loadDescriptions();
    const kinds = this.#kinds();
    return v2Parts(this.#operations(kinds, descriptions), this.#definitions(kinds, v2, descriptions));
  }

  #kinds(): CustomKind[] {
    return [...this.#published.values()].flatMap(({ kinds }) => kinds);
  }

  #operations(kinds: readonly CustomKind[], descriptions: Descriptions) {
    return kinds.flatMap((kind) => customOperations(kind, this.#catalogue, descriptions));
  }

  #definitions(kinds: readonly CustomKind[], dialect: Dialect, descriptions: Descriptions): DefinitionBuilder {
    const catalogue = this.#catalogue;
    const known = knownGroupVersions(catalogue).filter(({ group }) => !foreignGroups.has(group));
    const kindsOf = kindsOfTypes(catalogue, known);
    const definitions = new DefinitionBuilder({ catalogue, dialect, descriptions, kindsOf });
    for (const kind of kinds) addDefinitions(kind, definitions, dialect, descriptions);
    return definitions;
  }

  /** Resolves to no descriptions when they are not built. */
  #loadDescriptions(): Promise<Descriptions> {
    this.#descriptions ??= loadDescriptions().catch(() => ({}));
    return this.#descriptions;
  }
}

const pathOf = ({ group, version }: CustomKind): string => `apis/${group}/${version}`;

const hashOf = (input: unknown): string => createHash('sha512').update(writeJson(input)).digest('hex').toUpperCase();
