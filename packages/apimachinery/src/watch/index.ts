export {
  type Bookmark,
  isObjectEvent,
  isWatchEvent,
  type ObjectEvent,
  type WatchEvent,
  type WatchEventType,
} from './event.ts';
