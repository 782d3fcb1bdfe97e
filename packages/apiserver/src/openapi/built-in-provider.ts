import { createHash } from 'node:crypto';
import { type Catalogue, type Descriptions, type GroupVersionResources, loadDescriptions } from '@coxswain/api';
import { packages } from '@coxswain/api/packages';
import { GroupVersion } from '@coxswain/apimachinery';
import { versionInfo } from '../version/index.ts';
import { DefinitionBuilder } from './definition-builder.ts';
import { type Dialect, type JsonObject, v2, v3 } from './dialect.ts';
import { kindsOfTypes } from './kinds-of-types.ts';
import type { OpenApiProvider, V2Part } from './openapi-provider.ts';
import type { PathItem } from './operation.ts';
import { ResourceOperations } from './resource-operations.ts';
import { groupPath, groupVersionPath, serverPaths } from './server-operations.ts';
import { v2Parts } from './v2-document.ts';
import { v3Document } from './v3-document.ts';

/**
 * Must be incremented when the documents for the same catalogue change: clients cache a document by its hash forever, and the hash
 * is computed from the document's inputs, not from the document.
 */
const generatorRevision = 2;

interface Source {
  readonly groupVersions: readonly GroupVersion[];
  items(descriptions: Descriptions): readonly PathItem[];
  /** The inputs of the document besides the catalogue and the descriptions. */
  readonly input: unknown;
}

const pathOf = ({ group, version }: GroupVersionResources): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** Provides the documents of the served built-in group versions, and of the server's own paths. */
export class BuiltInOpenApi implements OpenApiProvider {
  readonly isFixed = true;
  readonly #catalogue: Catalogue;
  readonly #sources: ReadonlyMap<string, Source>;
  #descriptions: Promise<Descriptions> | undefined;

  constructor(catalogue: Catalogue, served: readonly GroupVersionResources[]) {
    this.#catalogue = catalogue;
    const groups = new Set(served.map(({ group }) => group).filter((group) => group !== ''));
    const fixed = (item: PathItem): Source => ({ groupVersions: [], items: () => [item], input: item.path });
    this.#sources = new Map([
      ...[...serverPaths].map(([path, item]) => [path, fixed(item)] as const),
      ...[...groups].map((group) => [`apis/${group}`, fixed(groupPath(group))] as const),
      ...served.map((groupVersion) => [pathOf(groupVersion), this.#sourceOf(groupVersion)] as const),
    ]);
  }

  async documents(): Promise<ReadonlyMap<string, string>> {
    const descriptions = await this.#loadDescriptions();
    const build = createHash('sha512').update(
      JSON.stringify([versionInfo.gitVersion, generatorRevision, Object.keys(descriptions).length]),
    );
    for (const { table } of packages) build.update(table);
    return new Map(
      [...this.#sources].map(([path, { input }]) => {
        const hash = build.copy().update(path).update(JSON.stringify(input));
        return [path, hash.digest('hex').toUpperCase()];
      }),
    );
  }

  async v3(path: string): Promise<JsonObject> {
    const source = this.#sources.get(path);
    if (!source) throw new Error(`there is no OpenAPI document ${path}`);
    const descriptions = await this.#loadDescriptions();
    const definitions = this.#definitions(v3, descriptions, source.groupVersions);
    return v3Document(source.items(descriptions), definitions);
  }

  async v2(): Promise<V2Part> {
    const descriptions = await this.#loadDescriptions();
    const items = [...this.#sources.values()].flatMap((source) => source.items(descriptions));
    return v2Parts(items, this.#definitions(v2, descriptions));
  }

  #sourceOf(served: GroupVersionResources): Source {
    return {
      groupVersions: [GroupVersion.of(served.group, served.version)],
      items: (descriptions) => [
        groupVersionPath(served),
        ...new ResourceOperations(this.#catalogue, descriptions, served).items(),
      ],
      input: served,
    };
  }

  #definitions(
    dialect: Dialect,
    descriptions: Descriptions,
    groupVersions?: readonly GroupVersion[],
  ): DefinitionBuilder {
    const kindsOf = kindsOfTypes(this.#catalogue, groupVersions);
    return new DefinitionBuilder({ catalogue: this.#catalogue, dialect, descriptions, kindsOf });
  }

  /** A build may have been made without descriptions. Documents then have none. */
  #loadDescriptions(): Promise<Descriptions> {
    this.#descriptions ??= loadDescriptions().catch(() => ({}));
    return this.#descriptions;
  }
}
