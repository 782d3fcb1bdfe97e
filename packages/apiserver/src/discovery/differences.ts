/** A document, or a resource of one, that is not as upstream's, and why that is meant. */
export interface DiscoveryDifference {
  /** The path of the document: `/apis/apps/v1`. */
  readonly document: string;
  /** The resource that differs or is missing; all of the document when absent. */
  readonly resource?: string;
  readonly reason: string;
}

/**
 * All that is deliberately different from upstream's discovery documents: nothing. Which versions are on by default, and
 * which need a feature, is upstream's own choice (`served-resources.ts`).
 */
export const discoveryDifferences: readonly DiscoveryDifference[] = [];
