import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { cleanupOpenApiDoc } from 'nestjs-zod';
import { consoleModule } from './console.module';

/** The OpenAPI document of the API; no server is started. */
export async function openApiDocument(): Promise<OpenAPIObject> {
  const module = consoleModule({ labFolder: '', isClass: false });
  const app = await NestFactory.create(module, new FastifyAdapter(), { logger: false });
  app.setGlobalPrefix('api');
  const document = new DocumentBuilder().setTitle('Console').setVersion('1').build();
  return cleanupOpenApiDoc(SwaggerModule.createDocument(app, document));
}
