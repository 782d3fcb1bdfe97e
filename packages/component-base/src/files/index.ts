/** Watching files that may change while a component runs. */
export { type FollowedFiles, followFiles, TryAgain } from './follow-files.ts';
