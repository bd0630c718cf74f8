#ifndef CSTORESYSTEM_H
#define CSTORESYSTEM_H
int store_placeholder(void);
#endif
