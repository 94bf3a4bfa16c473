import { problem, ProblemError } from '#lab/http';
import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COOKIE } from './access';
import { joinUrls } from './addresses';
import { Classroom, type JoinRefusal } from './classroom';
import { CurrentMember, memberOf, teacherOnly, type Member } from './member';
import { BoardView, ClassroomView, JoinBody, MemberParams } from './schemas';

const REFUSALS: Readonly<Record<JoinRefusal, string>> = {
  'wrong-code': 'the code is wrong: enter the one that the teacher shows',
  'no-name': 'the name has no letters: enter another one',
  'name-taken': 'the name is taken: enter another one, or ask the teacher to remove it',
  'class-full': 'the class is full: ask the teacher',
  'too-many-tries': 'too many wrong codes were entered: wait a minute, then try again',
};

@ApiTags('classroom')
@Controller('classroom')
export class ClassroomController {
  constructor(private readonly classroom: Classroom) {}

  @Get()
  @ApiOperation({ summary: 'Whether this is a class, and who this browser is in it' })
  @ApiOkResponse({ type: ClassroomView })
  find(@Req() request: FastifyRequest): ClassroomView {
    return this.viewFor(memberOf(request.raw), request);
  }

  @Post('join')
  @HttpCode(200)
  @ApiOperation({ summary: 'Joins the class with its code and a name' })
  @ApiOkResponse({ type: ClassroomView })
  join(
    @Body() { code, name }: JoinBody,
    @Ip() address: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): ClassroomView {
    const joined = this.classroom.isOpen ? this.classroom.join(code, name, address) : 'wrong-code';
    if (typeof joined === 'string')
      throw new ProblemError(problem('ACCESS.REFUSED', REFUSALS[joined], { errors: { reason: joined } }));
    void reply.header('Set-Cookie', `${COOKIE}=${joined.cookie}; Path=/; HttpOnly; SameSite=Strict`);
    return this.viewFor(joined.member, request);
  }

  @Get('board')
  @ApiOperation({ summary: 'Who has reached which goal' })
  @ApiOkResponse({ type: BoardView })
  board(): BoardView {
    return { rows: this.classroom.board() };
  }

  @Delete('members/:id')
  @ApiOperation({
    summary: 'Removes a student, cancels its jobs and ends its event streams; its browser can join again',
  })
  @ApiOkResponse({ type: BoardView })
  remove(@Param() { id }: MemberParams, @CurrentMember() member: Member): BoardView {
    if (!member.isTeacher) throw teacherOnly('remove', 'only the teacher can remove a student');
    if (!this.classroom.remove(id))
      throw new ProblemError(problem('REQUEST.NOT_FOUND', `there is no student with the id "${id}"`));
    return this.board();
  }

  private viewFor(member: Member | undefined, { socket }: FastifyRequest): ClassroomView {
    const { isOpen, code } = this.classroom;
    return {
      isOpen,
      ...(member !== undefined && { member: { name: member.name, isTeacher: member.isTeacher } }),
      ...(isOpen && member?.isTeacher === true && { code, urls: joinUrls(socket.localPort ?? 0) }),
    };
  }
}
