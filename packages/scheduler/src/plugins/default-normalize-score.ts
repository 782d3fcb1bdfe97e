import { maxNodeScore } from '../framework/plugin.ts';

/**
 * Stretches scores from zero to the greatest of them over the whole range, in place; `reverse` makes the greatest the worst.
 * The scores must be whole numbers, none below zero.
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
