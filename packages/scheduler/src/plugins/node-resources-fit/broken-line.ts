/** A point of the function from a resource's utilization (0 to 100 percent) to a score. */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** The maximum score of a point. */
export const maxShapeScore = 10;

/**
 * Returns the piecewise linear function through the points, constant before the first and after the last. Values are truncated to integers.
 * The points must be sorted and not empty.
 */
export function brokenLine(points: readonly ShapePoint[]): (x: number) => number {
  return (x) => {
    const next = points.findIndex(({ utilization }) => x <= utilization);
    if (next <= 0) return points.at(next)!.score;
    const from = points[next - 1]!;
    const to = points[next]!;
    const rise = ((to.score - from.score) * (x - from.utilization)) / (to.utilization - from.utilization);
    return from.score + Math.trunc(rise);
  };
}
