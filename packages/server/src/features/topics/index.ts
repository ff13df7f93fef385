export { deleteTopicPolicies, findOrCreateTopic, mutedTopicState, setTopicPolicy, userTopicState } from './actions.ts';
export { emitTopicRenamed, moveTopicPolicies } from './policies.ts';
export { findTopic, findTopicPolicy, insertTopic, selectTopic, type Topic } from './queries.ts';
export { NO_TOPIC, topicProblem } from './rules.ts';
