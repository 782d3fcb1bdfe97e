import { testTranscripts } from './test-transcripts.ts';

testTranscripts('discovery', 'explain', 'get', 'live');
