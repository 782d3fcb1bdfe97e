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

/** The OpenAPI v3 document of one group version. */
export interface OpenAPIV3GroupVersion {
  /** Contains a hash of the document, so it can serve as a cache key. */
  readonly serverRelativeURL: string;
  document(options?: CallOptions): Promise<OpenAPIDocument>;
}

/** The response of `/openapi/v3`. */
export interface OpenAPIV3Index {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** The group versions of an index. Their documents are read from the source on demand. */
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
