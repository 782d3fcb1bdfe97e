import type { CallOptions } from '../rest/call-options.ts';
import type { DocumentSource } from './document-source.ts';

/** An OpenAPI document, version 2 (`swagger`, `definitions`) or 3 (`openapi`, `components`). */
export interface OpenAPIDocument {
  readonly swagger?: string;
  readonly openapi?: string;
  readonly info?: { readonly title?: string; readonly version?: string };
  readonly paths?: Readonly<Record<string, unknown>>;
  readonly definitions?: Readonly<Record<string, unknown>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
  readonly [key: string]: unknown;
}

/** Where the OpenAPI v3 document of one group version is. */
export interface OpenAPIV3GroupVersion {
  /** With a hash that changes when the document does: good as the key of a cache. */
  readonly serverRelativeURL: string;
  document(options?: CallOptions): Promise<OpenAPIDocument>;
}

/** What `/openapi/v3` answers. */
export interface OpenAPIV3Index {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** The group versions of an index, whose documents come from the source when asked for. */
export function groupVersionsOf(
  { paths = {} }: OpenAPIV3Index,
  source: DocumentSource,
): Map<string, OpenAPIV3GroupVersion> {
  return new Map(
    Object.entries(paths).map(([path, { serverRelativeURL }]) => [
      path,
      { serverRelativeURL, document: (options) => source.get<OpenAPIDocument>(serverRelativeURL, options) },
    ]),
  );
}
