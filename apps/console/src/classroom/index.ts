export { guardAccess } from './access';
export { joinUrls } from './addresses';
export { Classroom } from './classroom';
export { ClassroomController } from './classroom.controller';
export { assertMayCancel, CurrentMember, notJoined, teacherOnly, type Member } from './member';
