/** The metadata of lists, and of other responses that are not persistent objects. */
export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  /** Present when there are more items. Sent with the next request to get the next page. */
  continue?: string;
  remainingItemCount?: number;
  shardInfo?: ShardInfo;
}

/** The shard to which a list was restricted. */
export interface ShardInfo {
  selector: string;
}
