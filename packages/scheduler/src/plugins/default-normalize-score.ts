import { maxNodeScore } from '../framework/plugin.ts';

/**
 * Scales scores in place so that the greatest becomes 100; with `reverse`, scores are then subtracted from 100. Scores must be non-negative
 * integers.
 */
export function defaultNormalizeScore(scores: number[], { reverse = false } = {}): undefined {
  let greatest = 0;
  for (const score of scores) if (score > greatest) greatest = score;
  if (greatest === 0) {
    if (reverse) scores.fill(maxNodeScore);
    return;
  }
  for (let i = 0; i < scores.length; i++) {
    const score = Math.floor((maxNodeScore * scores[i]!) / greatest);
    scores[i] = reverse ? maxNodeScore - score : score;
  }
}
