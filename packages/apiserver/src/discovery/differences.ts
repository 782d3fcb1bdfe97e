/** A discovery document, or a resource in one, that deliberately differs from upstream's, with the reason. */
export interface DiscoveryDifference {
  /** The path of the document: `/apis/apps/v1`. */
  readonly document: string;
  /** The resource that differs or is missing. Undefined when the whole document differs. */
  readonly resource?: string;
  readonly reason: string;
}

/**
 * The deliberate differences from upstream's discovery documents: none. The versions enabled by default, and those behind a
 * feature gate, are upstream's (`served-resources.ts`).
 */
export const discoveryDifferences: readonly DiscoveryDifference[] = [];
