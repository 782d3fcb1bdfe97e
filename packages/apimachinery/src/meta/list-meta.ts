/** The metadata of a list, and of other answers that are no persistent object. */
export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  /** Present when there are more items: give it back to get the next page. */
  continue?: string;
  remainingItemCount?: number;
  shardInfo?: ShardInfo;
}

/** Which shard a list was restricted to. */
export interface ShardInfo {
  selector: string;
}
