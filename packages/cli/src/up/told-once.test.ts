import { expect, it } from 'vitest';
import { toldOnce } from './told-once.ts';

function setup() {
  const told: string[] = [];
  let time = 0;
  const logger = toldOnce(
    {
      info: (message) => told.push(`I ${message}`),
      warn: (message) => told.push(`W ${message}`),
      error: (message, error) => told.push(`E ${message} ${error instanceof Error ? error.message : ''}`),
    },
    () => time,
  );
  const wait = (ms: number): void => {
    time += ms;
  };
  return { told, logger, wait };
}

it('tells what stays wrong once, and again after ten minutes', () => {
  const { told, logger, wait } = setup();
  const minute = 60_000;
  for (let i = 0; i < 44; i++) {
    logger.error('autoscaler web', new Error('no metrics'));
    logger.warn('slow');
    wait(minute / 4);
  }
  expect(told).toEqual(['E autoscaler web no metrics', 'W slow', 'E autoscaler web no metrics', 'W slow']);
});

it('tells what is another thing at once, and progress always', () => {
  const { told, logger } = setup();
  for (const reason of ['no metrics', 'no pods', 'no metrics']) logger.error('autoscaler web', new Error(reason));
  logger.info('here');
  logger.info('here');
  expect(told).toEqual(['E autoscaler web no metrics', 'E autoscaler web no pods', 'I here', 'I here']);
});

it('remembers only so much', () => {
  const { told, logger } = setup();
  logger.warn('first');
  for (let i = 0; i < 200; i++) logger.warn(`${i}`);
  logger.warn('first');
  expect(told.filter((line) => line === 'W first')).toHaveLength(2);
});
