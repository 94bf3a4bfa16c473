export { guardAccess } from './access';
export { Classroom } from './classroom';
export { ClassroomController } from './classroom.controller';
export { CurrentMember, type Member } from './member';
