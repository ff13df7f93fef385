export { findOrCreateTopic, forgetTopicPolicies, setTopicPolicy, userTopicState } from './actions.ts';
export { findTopic, findTopicPolicy, type Topic } from './queries.ts';
