import type { PartialObjectMetadata } from '@coxswain/apimachinery/meta';
import { isObjectEvent, type WatchEvent } from '@coxswain/apimachinery/watch';
import type { Watch } from '../watch/watch.ts';
import { partialObject } from './partial-object.ts';

/** Wraps a watch so that its events contain only metadata. */
export function metadataWatch(watch: Watch<PartialObjectMetadata>): Watch<PartialObjectMetadata> {
  return {
    ended: watch.ended,
    stop: () => watch.stop(),
    feed: (cache) => watch.feed?.(cache),
    async nextBatch() {
      return (await watch.nextBatch())?.map(partialEvent);
    },
    async *[Symbol.asyncIterator]() {
      for await (const event of watch) yield partialEvent(event);
    },
  };
}

const partialEvent = (event: WatchEvent<PartialObjectMetadata>): WatchEvent<PartialObjectMetadata> =>
  isObjectEvent(event) ? { ...event, object: partialObject(event.object) } : event;
